import fc from "fast-check";
import { expect, test } from "vitest";
import { describeProblems, RULES, readSubmission } from "../../../tests/support/request-documents.ts";
import type { SegmentsWork } from "../../core/segments.ts";
import { MAX_BYTES, MAX_JOBS } from "../graph/limits.ts";
import { importExperiment } from "./frepp/import-xml.ts";
import { segmentNodes, segmentsOf } from "./nodes.ts";

/** No small document costs much: what it asks for is calculated before it is made, and refused with the number. */
const SMALL = 20_000;
/** A busy machine has other things to do as well. */
const MOST_SEC = 10;
const cpuSec = (work: () => void): number => {
  const before = process.cpuUsage();
  work();
  return process.cpuUsage(before).user / 1e6;
};

const length = fc.constantFrom("1mo", "2mo", "1y", "5y", "10y", "100y", "900y", "9000y", "7mo");
const text = fc.constantFrom(
  "pp/{component}/{product}/{span}.nc",
  "pp/{component}/{product}/{span}/",
  "{component}{product}{span}".repeat(20),
  `${"d/".repeat(200)}{component}-{product}-{span}`,
  "x",
);
const entry = fc.record({
  frequency: fc.constantFrom("monthly", "annual", "daily"),
  lengths: fc.array(length, { minLength: 1, maxLength: 30 }),
  tail: fc.constantFrom("skip", "emit"),
});
const words = fc.array(fc.constantFrom("{inputs}", "{outputs}", "w".repeat(300), "{span}{levels}".repeat(30)), {
  maxLength: 40,
});
const segments = fc
  .record({
    segment: fc.constantFrom("1mo", "1y", "3mo"),
    end: fc.constantFrom("0001", "0100", "9999", "99999", "ongoing"),
    history: fc.constantFrom("h/{date}.tar", `${"h/".repeat(300)}{date}`),
    outputs: fc.oneof(text, fc.array(text, { minLength: 1, maxLength: 30 })),
    run: words,
    ts: fc.array(entry, { maxLength: 8 }),
    components: fc.integer({ min: 1, max: 900 }),
  })
  .map(({ components, outputs, run, ts, ...rest }) => ({
    ...{ name: "s", kind: "segments", directory: "/archive", start: "0001" },
    ...rest,
    defaults: { outputs, run: ["make", "{output}", ...run], ts },
    components: Array.from({ length: components }, (_, at) => `c${at}`),
  }));

test("segments: whatever a small document says, reading it is bounded, and what it may ask for too", {
  timeout: 120_000,
}, () => {
  fc.assert(
    fc.property(segments, (document) => {
      fc.pre(JSON.stringify(document).length < SMALL);
      let read = readSubmission({ name: "none" }, RULES);
      expect(cpuSec(() => (read = readSubmission(document, RULES)))).toBeLessThan(MOST_SEC);
      if (!read.ok) return;
      const work = read.value.spec.work as SegmentsWork;
      const to = work.end ?? work.start + 24;
      let [products, letters] = [segmentsOf(work, to).length, 0];
      for (const { id, outputs, needs } of segmentNodes(work, to)) {
        products += 1;
        letters += [id, ...outputs].reduce((sum, word) => sum + word.length, 0) + needs.length * 8;
      }
      expect(products).toBeLessThanOrEqual(2 * MAX_JOBS);
      expect(letters).toBeLessThanOrEqual(MAX_BYTES);
    }),
    { numRuns: 25 },
  );
});

test.each([
  [
    "its products",
    {
      defaults: {
        outputs: "{product}-{span}",
        run: "make {output}",
        ts: [{ frequency: "monthly", lengths: ["1mo", "2mo"] }],
      },
    },
    /would be \d+ products; at most 200000/,
  ],
  [
    "their texts",
    {
      end: "0900",
      defaults: {
        outputs: Array.from({ length: 60 }, (_, at) => `${"d/".repeat(400)}${at}-{product}-{span}`),
        run: "make {output}",
        ts: [{ frequency: "monthly", lengths: ["1mo"] }],
      },
    },
    /would be \d+ MB when written out; at most 250 MB/,
  ],
])("segments: it is refused with the number, by %s", (_, change, words) => {
  const document = {
    name: "s",
    kind: "segments",
    directory: "/archive",
    start: "0001",
    end: "9999",
    segment: "1mo",
    history: "h/{date}",
    components: ["a"],
    ...change,
  };
  const read = readSubmission(document, RULES);
  expect(read.ok ? "" : describeProblems(read.error).join()).toMatch(words);
});

const piece = fc.constantFrom(
  '<component type="$(A)"><timeSeries freq="monthly" chunkLength="5yr"><variables>u v $(B)</variables></timeSeries></component>',
  '<component type="c" source="$(A)$(A)$(A)"><timeSeries freq="daily" chunkLength="$(B)"/></component>',
  '<xi:include xpointer="xpointer(//experiment/node())"/>',
  '<xi:include xpointer="xpointer(//*/*/*)"/>',
  "<namelist>current_date = 1,1,1 calendar = 'julian'</namelist>",
  `<namelist>current_date${" ".repeat(3000)}</namelist>`,
  "<!--",
  "-->",
  "<![CDATA[",
  "&e0;&e0;",
  "]]>",
  "<a>".repeat(100),
  '<property name="A" value="$(B)$(B)$(B)"/>',
  `<property name="B" value="${"$(C)".repeat(200)}"/>`,
  `<property name="C" value="${"y".repeat(2000)}"/>`,
);
const entity = fc.constantFrom("x".repeat(500), "&e1;".repeat(50), "&e2;".repeat(50), "<b/>".repeat(50));
const suites = fc
  .tuple(
    fc.array(fc.tuple(piece, fc.integer({ min: 1, max: 12 })), { maxLength: 10 }),
    fc.array(entity, { maxLength: 4 }),
  )
  .map(([pieces, entities]) => {
    const declared = entities.map((value, at) => `<!ENTITY e${at} "${value}">`).join("");
    const body = pieces.map(([one, times]) => one.repeat(times)).join("");
    return `<!DOCTYPE x [${declared}]><s><experiment name="e"><postProcess>${body}</postProcess></experiment></s>`;
  });
const made = (xml: string) =>
  importExperiment(
    { text: xml, path: "x.xml", read: () => null, properties: new Map() },
    { experiment: "e", commands: {}, start: "0001" },
  );

test("frepp: whatever a small XML says, it is imported or refused within bounds", { timeout: 120_000 }, () => {
  fc.assert(
    fc.property(suites, (xml) => {
      let answer = made("");
      expect(cpuSec(() => (answer = made(xml)))).toBeLessThan(MOST_SEC);
      expect((answer.ok ? JSON.stringify(answer.value) : answer.error).length).toBeLessThan(25_000_000);
    }),
    { numRuns: 15 },
  );
});

test.each([
  ["comments that do not end", `<!DOCTYPE x [<!ENTITY a "b">]><s>${"<!--".repeat(50_000)}</s>`],
  ["types that do not end", "<!DOCTYPE [".repeat(20_000)],
  [
    "blanks",
    `<s><experiment name="e"><namelist>current_date${" ".repeat(200_000)}x</namelist><postProcess/></experiment></s>`,
  ],
  ["brackets", `<!DOCTYPE x [${"]".repeat(200_000)}`],
])("frepp: %s cost what they weigh", (_, xml) => {
  expect(cpuSec(() => void made(xml))).toBeLessThan(MOST_SEC);
});
