import { existsSync, readFileSync } from "node:fs";
import { afterEach, beforeAll, beforeEach } from "vitest";
import type { AttemptRecord } from "../../src/recovery/ledger-record.ts";
import { ensureBuilt } from "./built.ts";
import { run, Scratch, SHELL } from "./payload-scratch.ts";

/** A unit on a submit host, with what planning left there and the log of its jobs: for the scripts around a job. */

// A log as HTCondor 23.9.6 wrote it: 36 killed by signal 9 at Beta, 37 held for memory and removed at Alpha,
// 38 a landing that ended well at Alpha.
const EVENTS = readFileSync(new URL("./sample-events.log", import.meta.url), "utf8");

const USUAL = { cores: 1, memoryMb: 2000, diskMb: 1000, wallMinutes: 480, gpus: 0 };

export let unit: Scratch;
beforeAll(() => ensureBuilt(), 180_000);
beforeEach(() => {
  unit = new Scratch();
  unit.write(
    "plan.json",
    JSON.stringify({ resources: { landing: USUAL, processing: USUAL, merge: USUAL, cleanup: USUAL } }),
  );
  policy();
  unit.write(
    "mg_000000/manifest.json",
    `{\n"unit":"mg_000000",\n"block":0,\n"sites":["T2_XX_Alpha","T2_XX_Beta"],\n"outputs":[${JSON.stringify({
      ...{ name: "hits", file: "hits.csv", merge: "concat", mergeArgv: [], keep: true, dataset: "/R/v1/HITS" },
      ...{ lfn: "/store/R/hits/mg_000000.csv", path: hits() },
    })}],\n"nodes":{\n"proc_000009":{"inputs":[{"lfn":"/data/a","path":"/data/a","events":1}],"firstEvent":null,"lastEvent":null},\n"proc_000010":{"inputs":[{"lfn":"/data/b","path":"/data/b","events":1}],"firstEvent":null,"lastEvent":null}\n}\n}\n`,
  );
  unit.write("mg_000000/group.log", EVENTS);
  unit.write("mg_000000/group.inc", 'proc_000000_memory = 3072\nMy.DESIRED_Sites = "T2_XX_Alpha,T2_XX_Beta"\n# end');
});
afterEach(() => unit.remove());

/** Where the unit's merged file goes, and what its merge leaves: as planned, or with something else in it. */
export const hits = () => unit.path("storage/hits/mg_000000.csv");
export interface Merged {
  [key: string]: unknown;
  outputs: Record<string, unknown>[];
}
export function merged(forge: (made: Merged) => void = () => {}): void {
  const names = { output: "hits", dataset: "/R/v1/HITS", lfn: "/store/R/hits/mg_000000.csv", path: hits() };
  const one = { ...names, sizeBytes: 5, checksum: "cksum:12", events: 7, parents: ["/data/a", "/data/b"] };
  const made: Merged = { version: 1, unit: "mg_000000", block: 0, site: "T2_XX_Alpha", events: 7, outputs: [one] };
  forge(made);
  unit.write("storage/hits/mg_000000.csv", "hits\n");
  const { outputs, ...head } = made;
  const lines = outputs.map((output) => JSON.stringify(output)).join(",\n");
  unit.write("mg_000000/merge_output.json", `${JSON.stringify(head).slice(0, -1)},"outputs":[\n${lines}\n]}\n`);
}

export const inUnit = (...parts: string[]) => unit.path("mg_000000", ...parts);
export function policy(settings: object = {}, more: object = {}): void {
  unit.write("policy.json", JSON.stringify({ version: 1, settings: { fixed_delay_sec: 0, ...settings }, ...more }));
}
export const script = (name: "post" | "elect" | "pre" | "unit", ...args: (string | number)[]) =>
  run([...SHELL, `../bin/${name}`, ...args.map(String)], inUnit());
export const post = (...args: (string | number)[]) => script("post", ...args);
export const ledger = (): AttemptRecord[] =>
  existsSync(inUnit("ledger.jsonl"))
    ? readFileSync(inUnit("ledger.jsonl"), "utf8")
        .split("\n")
        .slice(0, -1)
        .map((line) => JSON.parse(line))
    : [];
export const postJson = (node: string) => JSON.parse(readFileSync(inUnit(`${node}.post.json`), "utf8"));
export const inc = () => readFileSync(inUnit("group.inc"), "utf8");

export function report(
  node: string,
  cluster: number,
  fields: Record<string, unknown> = {},
  keep = (text: string) => text,
) {
  const all = {
    version: 1,
    state: "finished",
    role: "processing",
    node,
    unit: "mg_000000",
    cluster,
    site: "T2_XX_Alpha",
    host: "worker12",
    startedAt: 1763230000,
    endedAt: 1763230012,
    wallSec: 12.05,
    cpuSec: 10.4,
    peakMemoryMb: 812,
    exitCode: 0,
    error: null,
    eventsRead: 100,
    eventsWritten: 97,
    steps: [],
    inputs: [],
    outputs: [],
    ...fields,
  };
  const lines = Object.entries(all).map(([key, value]) => `"${key}":${JSON.stringify(value)}`);
  unit.write(`mg_000000/${node}.${cluster}.report.json`, keep(`{\n${lines.join(",\n")}\n}\n`));
}
