import { appendFileSync, chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "vitest";
import type { ServerUnderTest } from "./server.ts";

/** Numbers that look random and can be had again: the seed is printed with the story. */
export function seeded(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  };
}

/** A request whose jobs each write down that they ran, so that nothing can run twice unnoticed. */
export class WitnessedRequest {
  readonly name: string;
  readonly files: number;
  readonly #dir: string;

  constructor(dir: string, name: string, files: number) {
    this.name = name;
    this.files = files;
    this.#dir = join(dir, name);
    mkdirSync(this.#dir, { recursive: true });
    for (let i = 0; i < files; i += 1) writeFileSync(join(this.#dir, `in-${i}.txt`), `${i}\n`);
    appendFileSync(this.witness, "");
    // Jobs of a pool run as another user.
    chmodSync(this.#dir, 0o777);
    chmodSync(this.witness, 0o666);
  }

  get witness(): string {
    return join(this.#dir, "witness.log");
  }

  document(): unknown {
    const script = `set -e; echo "$WMS2_NODE" >> "$1"; cat $WMS2_INPUTS > out.txt; sleep 0.1`;
    return {
      name: this.name,
      kind: "process",
      input: { files: join(this.#dir, "in-*.txt") },
      split: { by: "files", files_per_job: 1 },
      unit: { jobs: 2 },
      steps: [{ name: "copy", run: ["sh", "-c", script, "copy", this.witness] }],
      outputs: [{ name: "all", file: "out.txt", merge: "concat" }],
      resources: { cores: 1, memory: "100 MB", time: "5 min" },
    };
  }

  ran(): string[] {
    return readFileSync(this.witness, "utf8").trim().split("\n").filter(Boolean).sort();
  }

  /** Every job ran exactly once, every unit is registered exactly once, and the data is whole. */
  expectExactlyOnce(storageDir: string): void {
    const nodes = Array.from({ length: this.files }, (_, i) => `proc_${String(i).padStart(6, "0")}`);
    expect(this.ran()).toEqual(nodes);
    const ledger = join(storageDir, "ledger.jsonl");
    const rows = (existsSync(ledger) ? readFileSync(ledger, "utf8") : "")
      .split("\n")
      .filter(Boolean)
      .map((line) => JSON.parse(line) as { request: string; lfn: string; path: string });
    const mine = rows.filter((row) => row.request === this.name);
    expect(mine).toHaveLength(Math.ceil(this.files / 2));
    expect(new Set(mine.map((row) => row.lfn)).size).toBe(mine.length);
    const lines = mine.flatMap((row) => readFileSync(row.path, "utf8").trim().split("\n"));
    expect(lines.map(Number).sort((a, b) => a - b)).toEqual(nodes.map((_, i) => i));
  }
}

/** Submits a request, lets it run for a random while, kills the server without warning, and starts it again. */
export async function killAtRandomPoints(
  server: ServerUnderTest,
  workDir: string,
  options: { times: number; seed: number; files: number; maxDelayMs: number; deadlineSec: number },
): Promise<void> {
  const random = seeded(options.seed);
  const requests: WitnessedRequest[] = [];
  await server.start();
  for (let round = 0; round < options.times; round += 1) {
    const request = new WitnessedRequest(workDir, `crash-${round}`, options.files);
    requests.push(request);
    await server.submit(request.document());
    await new Promise((resume) => setTimeout(resume, random() * options.maxDelayMs));
    await server.kill("SIGKILL");
    await server.start();
  }
  for (const request of requests) {
    await server.until(request.name, ["completed", "held", "failed", "aborted"], options.deadlineSec);
    expect((await server.get(`/requests/${request.name}`)).status).toBe("completed");
    request.expectExactlyOnce(join(server.dataDir, "storage"));
  }
}
