import { appendFileSync, chmodSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { AttemptRecord } from "../../src/recovery/ledger-record.ts";
import { eventually } from "./eventually.ts";

/**
 * One request of many misfortunes: a unit of one job for each, named by its input file. A job learns from that name
 * what is to befall it, and from marks in a shared folder how often it has run. All jobs wait for `go`, so that there
 * is time to prepare the units that come later.
 */
const SCRIPT = `
dir=$1 name=$(basename "$WMS2_INPUTS" .txt) name=\${name#*-}
runs=$(cat "$dir/$name.runs" 2>/dev/null || echo 0); runs=$((runs + 1)); echo $runs >"$dir/$name.runs"
while [ ! -e "$dir/go" ]; do sleep 0.1; done
say() { echo "exit_code=$1" >>"$WMS2_STEP_REPORT"; echo "cannot read $WMS2_INPUTS" >&2; exit $(($1 % 256)); }
whole_job() { p=$$ job=; while [ "$p" -gt 1 ]; do
  if tr '\\0' ' ' <"/proc/$p/cmdline" | grep -q 'processing proc_'; then job=$p; fi
  p=$(awk '/^PPid/ { print $2 }' "/proc/$p/status"); done; echo $job; }
case $name.$runs in
  memory.1) head -c 140000000 /dev/zero | tail -c 140000000 | sleep 60 ;;
  memory.*) head -c 140000000 /dev/zero | tail -c 140000000 | sleep 2 ;;
  step-killed.1) kill -9 $$ ;;
  job-killed.1) kill -9 "$(whole_job)"; sleep 60 ;;
  no-program.*) exec /nowhere/program ;;
  read-once.1 | read-always.* | read-elsewhere.*) say 8021 ;;
  own-42.*) exit 42 ;;
  scripted.1 | post-killed.1) exit 17 ;;
  walltime.1) sleep 60 ;;
  walltime.2) sleep 1 ;;
  evicted.1 | removed.1) sleep 60 ;;
esac
echo "$name after $runs" >out.txt
`;

/** A handler's script: leaves what it was told, and takes its time the first time it is run for post-killed. */
const FIX = `#!/bin/sh
dir=$(cat story-dir); name=$(basename "$(ls "$dir"/*-scripted.txt)" .txt)
env | grep ^WMS2_ | sort >"$dir/$WMS2_NODE.script-env"
echo "fixing $WMS2_JOB_NAME after $WMS2_RETURN_CODE"
if [ -e "$dir/$WMS2_NODE.slow" ] && [ ! -e "$dir/$WMS2_NODE.script-began" ]; then
  touch "$dir/$WMS2_NODE.script-began"; sleep 60
fi
`;

export class MisfortuneRequest {
  readonly name: string;
  readonly dir: string;
  readonly #spool: string;
  readonly #first: readonly string[];
  readonly #later: readonly string[];

  /** `later` are prepared by the test before they begin: they wait until the first ones are through. */
  constructor(work: string, spool: string, name: string, first: readonly string[], later: readonly string[]) {
    this.name = name;
    this.dir = join(work, name);
    this.#spool = spool;
    this.#first = first;
    this.#later = later;
    mkdirSync(this.dir, { recursive: true });
    chmodSync(this.dir, 0o777); // jobs of a pool run as another user
    for (const [at, story] of [...first, ...later].entries())
      writeFileSync(join(this.dir, `${String(at).padStart(2, "0")}-${story}.txt`), `${story}\n`);
  }

  document(): object {
    const attached = (text: string, executable: boolean) => ({
      content_base64: Buffer.from(text).toString("base64"),
      executable,
    });
    return {
      name: this.name,
      kind: "process",
      input: { files: join(this.dir, "*.txt") },
      split: { by: "files", files_per_job: 1 },
      unit: { jobs: 1 },
      steps: [{ name: "fate", run: ["sh", "-c", SCRIPT, "fate", this.dir] }],
      outputs: [{ name: "all", file: "out.txt", merge: "concat" }],
      resources: { cores: 1, memory: "100 MB", time: "5 min" },
      throttles: { units: this.#first.length },
      recovery: {
        max_rescues: 0,
        handlers: [{ name: "fixer", rules: [{ exit_codes: [17], max_retries: 2, delay: "0 s", script: "./fix.sh" }] }],
      },
      attachments: { "fix.sh": attached(FIX, true), "story-dir": attached(this.dir, false) },
    };
  }

  indexOf(story: string): number {
    return [...this.#first, ...this.#later].indexOf(story);
  }
  node(story: string): string {
    return `proc_${String(this.indexOf(story)).padStart(6, "0")}`;
  }
  input(story: string): string {
    return join(this.dir, `${String(this.indexOf(story)).padStart(2, "0")}-${story}.txt`);
  }

  async submitDir(): Promise<string> {
    const root = join(this.#spool, this.name);
    const found = await eventually("the submit directory is there", () => {
      try {
        return readdirSync(root).find((name) => name.startsWith("r0-"));
      } catch {
        return null;
      }
    });
    return join(root, found);
  }

  async unitDir(story: string): Promise<string> {
    return join(await this.submitDir(), `mg_${String(this.indexOf(story)).padStart(6, "0")}`);
  }

  go(): void {
    writeFileSync(join(this.dir, "go"), "");
  }

  async append(story: string, file: string, text: string): Promise<void> {
    appendFileSync(join(await this.unitDir(story), file), text);
  }

  /** The attempts of the story's processing node, as its ledger tells them. */
  async attempts(story: string): Promise<AttemptRecord[]> {
    const lines = readFileSync(join(await this.unitDir(story), "ledger.jsonl"), "utf8")
      .trim()
      .split("\n");
    return lines
      .map((line) => JSON.parse(line))
      .filter(({ event, node }) => event === "attempt" && node === this.node(story));
  }
}
