import { expect, it } from "vitest";
import { generateSpec, sampleFacts } from "../../tests/support/sample-facts.ts";
import { planRound } from "../planning/plan-round.ts";
import { planDot } from "./dot.ts";
import { planSvg } from "./svg.ts";

const outcome = planRound(
  sampleFacts(
    generateSpec({
      generation: { ...generateSpec().generation!, totalEvents: 100_000n },
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
  expect(dot).toContain('"and 1 more blocks"');
  expect(dot.split("{").length).toBe(dot.split("}").length);
});

it("draws the same as SVG", () => {
  const svg = planSvg(plan);
  expect(svg.match(/<rect/g)).toHaveLength(1 + 13 + 3 + 25);
  expect(svg).toContain("mg_000000: may run at anywhere");
  expect(svg).toMatch(/^<svg [^>]*>[\s\S]*<\/svg>\n$/);
});
