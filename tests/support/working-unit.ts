import { afterEach } from "vitest";
import { NODE, type TestOutput, type TestStep, TestUnit } from "./payload-scratch.ts";

/** Units whose jobs are run as on a worker; they go when the test is over. */
const units: TestUnit[] = [];
afterEach(() => {
  for (const unit of units.splice(0)) unit.remove();
});

export const HITS: TestOutput = { name: "hits", file: "hits.csv" };
export const sh = (script: string, name = "select", ...args: string[]): TestStep => ({
  name,
  argv: ["sh", "-c", script, "sh", ...args],
});

export function unit(
  steps: TestStep[],
  outputs: TestOutput[] = [],
  nodes: Record<string, Partial<typeof NODE>> = { proc_000000: {} },
) {
  const full = Object.fromEntries(Object.entries(nodes).map(([name, node]) => [name, { ...NODE, ...node }]));
  const made = new TestUnit(steps, outputs, full);
  units.push(made);
  return made;
}

export const A = { lfn: "/data/a.csv", path: "/data/a.csv", events: 100 };
