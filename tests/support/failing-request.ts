import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { expect } from "vitest";
import { eventually } from "./eventually.ts";
import type { ServerUnderTest } from "./server.ts";

/**
 * How long a story waits before it says that it is stuck. No claim of its own: on a machine with other work, and a server
 * that dies every few seconds, each step may take a minute.
 */
export const PATIENCE_SEC = 500;

/**
 * A request with one job per unit whose jobs write down where they ran, and do what a file says: fail/<input> holds
 * "kill" or an exit code and how often, or "gate": the job waits there, until it is told otherwise or nothing. So no
 * story depends on how long anything takes.
 */
export class FailingRequest {
  readonly name: string;
  readonly units: number;
  readonly #dir: string;

  constructor(dir: string, name: string, units: number) {
    this.name = name;
    this.units = units;
    this.#dir = join(dir, name);
    for (const sub of ["in", "fail", "ran", "bad-site"]) {
      mkdirSync(join(this.#dir, sub), { recursive: true });
      chmodSync(join(this.#dir, sub), 0o777);
    }
    for (let i = 0; i < units; i += 1) writeFileSync(this.input(i), `${i}\n`);
  }

  input = (index: number): string => join(this.#dir, "in", `f${String(index).padStart(3, "0")}.txt`);

  fail(index: number, how: string, times = 999): void {
    const path = this.#told(index);
    writeFileSync(`${path}.new`, `${how} ${times}\n`);
    chmodSync(`${path}.new`, 0o666);
    renameSync(`${path}.new`, path);
  }
  /** The jobs of these inputs wait once they have begun, until the gate is opened for them; `heal` opens all. */
  close(): void {
    for (let index = 0; index < this.units; index += 1) this.fail(index, "gate");
  }
  open(...indexes: number[]): void {
    for (const index of indexes) rmSync(this.#told(index));
  }
  /** Opens it for the first jobs that come to it, and says which: engines have an order of their own. */
  async pass(jobs: number): Promise<ReadonlySet<number>> {
    const opened = new Set<number>();
    while (opened.size < jobs) {
      const came = () => this.begun().find((index) => !opened.has(index));
      const next = await eventually("a job is at its gate", () => came()?.toString(), { deadlineSec: PATIENCE_SEC });
      this.open(Number(next));
      opened.add(Number(next));
    }
    return opened;
  }
  begun = (): number[] => [...Array(this.units).keys()].filter((index) => this.count(index) > 0);
  /** Jobs that have begun and wait there. */
  atGate = (): number[] => this.begun().filter((at) => existsSync(this.#told(at)));
  #told = (index: number): string => join(this.#dir, "fail", `f${String(index).padStart(3, "0")}.txt`);

  /** Every job at this site fails with that code. */
  spoil(site: string, code: number): void {
    writeFileSync(join(this.#dir, "bad-site", site), `${code}\n`);
  }
  heal(): void {
    for (const name of readdirSync(join(this.#dir, "fail"))) rmSync(join(this.#dir, "fail", name));
  }

  document(over: Record<string, unknown> = {}): unknown {
    return {
      name: this.name,
      kind: "process",
      input: { files: join(this.#dir, "in", "*.txt") },
      split: { by: "files", files_per_job: 1 },
      unit: { jobs: 1 },
      steps: [
        {
          name: "work",
          run: ["sh", "-c", readFileSync(join(import.meta.dirname, "failing-job.sh"), "utf8"), "work", this.#dir],
        },
      ],
      outputs: [{ name: "all", file: "out.txt", merge: "concat" }],
      resources: { cores: 1, memory: "100 MB", time: "1 h" },
      retries: { processing: 1 },
      throttles: { units: 4 },
      ...over,
    };
  }

  /** "f003.txt site" for every execution, oldest first per input. */
  runs(): { file: string; site: string }[] {
    const dir = join(this.#dir, "ran");
    return readdirSync(dir).flatMap((file) =>
      readFileSync(join(dir, file), "utf8")
        .trim()
        .split("\n")
        .map((site) => ({ file, site })),
    );
  }

  /** Where jobs have begun, and how many. */
  sites(): { name: string; jobs: number }[] {
    const names = this.runs().map(({ site }) => site);
    return [...new Set(names)].map((name) => ({ name, jobs: names.filter((other) => other === name).length }));
  }

  count(index: number): number {
    const path = join(this.#dir, "ran", `f${String(index).padStart(3, "0")}.txt`);
    return existsSync(path) ? readFileSync(path, "utf8").trim().split("\n").length : 0;
  }

  expectOnceEach(except: readonly number[] = []): void {
    for (let i = 0; i < this.units; i += 1) if (!except.includes(i)) expect([i, this.count(i)]).toEqual([i, 1]);
  }
}

export const outputs = async (server: ServerUnderTest, name: string): Promise<number> =>
  (await server.get(`/requests/${name}/outputs?limit=1000`)).items.length;
