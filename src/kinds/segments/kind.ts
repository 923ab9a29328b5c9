import { plural } from "../../core/base/text.ts";
import { writeInterval, writeMonth } from "../../core/calendar.ts";
import type { SegmentsWork } from "../../core/segments.ts";
import type { Kind } from "../kind.ts";
import { checkSegments } from "./check-segments.ts";
import { releaseNode } from "./decide-node.ts";
import { endedRows, submittedRows } from "./ended.ts";
import { lookAtHistory } from "./look.ts";
import { planFill } from "./plan-fill.ts";
import { planSegments } from "./plan-segments.ts";
import { readSegments } from "./read-segments.ts";
import { productChecks, verifiedRows } from "./verify.ts";

/** Post-processing of a model run: what is due and not done, round by round (docs/segments.md). */
export const segmentsKind: Kind<SegmentsWork> = {
  name: "segments",
  mainKeys: ["components"],
  keys: [
    ..."experiment start end calendar segment directory history defaults".split(" "),
    ..."components grouping sweep executions exit_codes".split(" "),
  ],
  commands: "own",
  simulatorChain: [],
  read: readSegments,
  extent: () => null,
  describe: ({ experiment, start, end, components }) => {
    const range = end === null ? `from ${writeMonth(start)} on` : writeInterval({ from: start, to: end });
    const products = components.reduce((sum, { products }) => sum + products.length, 0);
    return `${experiment} ${range}: ${plural(products, "product")} of ${plural(components.length, "component")}`;
  },
  unitWord: "job",
  begin: () => ({ unit: 0, node: 0, block: 0, firstEvent: 1n, firstLumi: 1n }),
  mostJobs: ({ fill }) => BigInt(fill?.plan.actions.length ?? 0),
  plan: planSegments,
  check: checkSegments,
  // Whether there is more to do is found by looking.
  remains: () => true,
  sharePlanned({ fill }) {
    if (!fill) return null;
    const all = fill.done + fill.holes;
    const now = fill.actions.filter(({ kind }) => kind !== "transfer" && kind !== "redo").length;
    return all === 0 ? 1 : Math.min(1, (fill.done + now) / all);
  },
  releaseFields: [],
  products: {
    sweepMinutes: ({ sweepMinutes }) => sweepMinutes,
    directory: ({ directory }) => directory,
    modelRun: (work) => work,
    look: lookAtHistory,
    components: ({ components }) => components.map(({ name }) => name),
    fill: ({ look, ...facts }) => planFill({ ...facts, ...look }),
    isComplete: ({ end }, { holes }) => end !== null && holes === 0,
    submitted: submittedRows,
    ended: endedRows,
    released: releaseNode,
    checks: productChecks,
    verified: verifiedRows,
  },
};
