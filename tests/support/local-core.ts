import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach } from "vitest";
import { parseMetrics } from "../../src/engines/format/metrics.ts";
import { LocalCore } from "../../src/engines/local/core.ts";
import { parseEvents } from "../../src/submit-dir/event-log.ts";

/** The local engine with real processes, within this one. */
export let root: string;
export let dir: string;
export let core: LocalCore;

const open = (cgroups = true): LocalCore =>
  new LocalCore({
    dir: join(root, "engine"),
    sites: [
      { name: "north", cores: 2, memoryMb: 4000 },
      { name: "south", cores: 2, memoryMb: 4000 },
    ],
    graceMs: 500,
    cgroups,
  });

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "wms2-core-"));
  dir = join(root, "run");
  core = open();
});
afterEach(() => {
  core.close();
  rmSync(root, { recursive: true, force: true, maxRetries: 5 });
});

export function reopen(cgroups = true): void {
  core.close();
  core = open(cgroups);
}
/** What is laid out from now on lies in another run directory. */
export function useDirectory(name: string): void {
  dir = join(root, name);
}

/** `step KEY CODE…` notes that it ran and ends with the n-th code at its n-th time, then with the last. */
const STEP = `#!/bin/sh
cd "\${0%/*}" || exit 99
key=$1; shift
echo "$key" >>ran.log
n=$(grep -cx "$key" ran.log)
while [ $# -gt 1 ] && [ "$n" -gt 1 ]; do shift; n=$((n - 1)); done
case $1 in
  wait) while [ ! -e go ]; do sleep 0.02; done; exit 0 ;;
  kill) kill -9 $$ ;;
  *) exit "$1" ;;
esac
`;
const SUB =
  "executable = @/step\narguments = $(key:$(JOB)) $(codes:0)\nlog = @/jobs.log\nulog_execute_attrs = GLIDEIN_CMSSite\nqueue\n";

export function lay(files: Record<string, string>): void {
  for (const [name, text] of Object.entries({ step: STEP, "j.sub": SUB, ...files })) {
    mkdirSync(dirname(join(dir, name)), { recursive: true });
    writeFileSync(join(dir, name), text.replaceAll("@/", `${dir}/`));
    chmodSync(join(dir, name), 0o755);
  }
}
export function submit(batchName = "b"): void {
  const result = core.submit({ batchName, submitDir: dir, priority: 0 });
  if (!result.ok) throw new Error(result.error);
}
export async function run(files: Record<string, string>): Promise<void> {
  lay(files);
  submit();
  await core.idle();
}
export const read = (name: string): string => readFileSync(join(dir, name), "utf8");
export const ran = (): string[] => (existsSync(join(dir, "ran.log")) ? read("ran.log").trim().split("\n") : []);
export const metrics = (name = "workflow.dag") => {
  const parsed = parseMetrics(read(`${name}.metrics`));
  if (!parsed.ok) throw new Error(parsed.error);
  return parsed.value;
};
export const events = (log = "jobs.log") => parseEvents(readFileSync(join(dir, log), "utf8"));
