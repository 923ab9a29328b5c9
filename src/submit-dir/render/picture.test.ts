import { expect, it } from "vitest";
import { generateSpec, planRound, sampleFacts } from "../../../tests/support/sample-facts.ts";
import { planOf, sampleGraph } from "../../../tests/support/sample-graph.ts";
import { planDot, planSvg } from "./picture.ts";

const outcome = planRound(
  sampleFacts(
    generateSpec({
      generation: { totalEvents: 100_000n },
      unit: { jobsPerUnit: 20, targetMergedBytes: 4e9, blockTargetBytes: 1e12, maxUnitsPerBlock: 2 },
    }),
  ),
);
if (outcome.kind !== "planned") throw new Error(outcome.kind);
const { plan } = outcome;

it("draws one unit and the whole, abridged, for Graphviz", () => {
  const dot = planDot(plan);
  expect(dot).toContain('landing -> "proc_000011" -> merge;');
  expect(dot).toContain('landing -> "and 8 more" -> merge;');
  expect(dot).toContain('"and 1 more block"');
  expect(dot.split("{").length).toBe(dot.split("}").length);
});

it("draws the same as SVG", () => {
  const svg = planSvg(plan);
  expect(svg.match(/<rect/g)).toHaveLength(1 + 13 + 3 + 25);
  expect(svg).toContain("mg_000000: may run at anywhere");
  expect(svg).toContain("minbias-gen round 0: 50 units, 1000 processing nodes, 25 blocks");
  expect(svg).toMatch(/^<svg [^>]*>[\s\S]*<\/svg>\n$/);
});

it("says one block, not one blocks", () => {
  const small = planRound(sampleFacts(generateSpec({ generation: { totalEvents: 100n } })));
  if (small.kind !== "planned") throw new Error(small.kind);
  expect(planDot(small.plan)).toContain("round 0: 1 unit, 1 processing node, 1 block");
  expect(planDot(small.plan)).toContain('block 0\\n1 unit"');
  expect(planSvg(small.plan)).toContain("block 0: 1 unit<");
});

it("draws the jobs of a graph by the names people gave them, with barriers as dots", () => {
  const edges = [
    { parents: [0, 1], children: [2, 3, 4] },
    { parents: [4], children: [5] },
  ];
  const graph = sampleGraph(6, edges, (index) => ({ name: index === 5 ? 'say "a\\' : `train ${index}` }));
  const dot = planDot(planOf(graph));
  expect(dot).toContain('0 [label="train 0"];');
  expect(dot).toContain('5 [label="say \\"a\\\\"];');
  expect(dot).toContain("{0 1} -> barrier_0 -> {2 3 4};");
  expect(dot).toContain("{4} -> {5};");
  const many = planDot(planOf(sampleGraph(1500, [{ parents: [0], children: [1, 1400] }])));
  expect(many).toContain("and 500 more");
  expect(many).toContain("{0} -> {1};");
});
