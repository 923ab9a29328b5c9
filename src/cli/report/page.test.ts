import fc from "fast-check";
import { SaxesParser } from "saxes";
import { describe, expect, test } from "vitest";
import { fanOut, noErrors, reportFacts, sampleResult } from "../../../tests/support/report-facts.ts";
import { JOB_STATE, type ShownJobState } from "../../core/job-state.ts";
import type { ResultView } from "../../operations/results.ts";
import { reportPage } from "./page.ts";

/** The tags, attributes and texts of a page; whatever is not well formed is thrown. */
function read(page: string) {
  const [tags, attributes, texts] = [new Set<string>(), new Map<string, Set<string>>(), [] as string[]];
  const parser = new SaxesParser();
  parser.on("error", (error) => {
    throw error;
  });
  parser.on("opentag", ({ name, attributes: own }) => {
    tags.add(name);
    for (const [key, value] of Object.entries(own)) attributes.set(key, (attributes.get(key) ?? new Set()).add(value));
  });
  parser.on("text", (text) => texts.push(text));
  parser.write(page).close();
  return { tags, attributes, text: texts.join("\n") };
}

const hostile = fc.oneof(
  fc.string({ unit: "binary", maxLength: 40 }),
  fc.constantFrom(
    "<script>alert(1)</script>",
    '\'" onload="x',
    "</style><b>",
    "]]><!--",
    "&amp;&lt;",
    "\u001b[31mred\u202e",
    "\ud800",
  ),
);

test("names, hosts, reasons, logs and documents are text, whatever they hold", () => {
  const calm = read(reportPage(factsWith("calm")));
  fc.assert(
    fc.property(hostile, (word) => {
      const { tags, attributes } = read(reportPage(factsWith(word)));
      expect(tags).toEqual(calm.tags);
      expect([...attributes.keys()].sort()).toEqual([...calm.attributes.keys()].sort());
      expect(attributes.get("class")).toEqual(calm.attributes.get("class"));
    }),
    { numRuns: 150 },
  );
});

function factsWith(word: string) {
  const example = { at: "2026-11-15T10:00:00Z", unit: "job_000001", node: "job_000001", job: word, cluster: 1 };
  const first = { ...example, site: word, exit_code: 1, reason: word, not_before: null };
  const code = {
    exit_code: 1,
    name: word,
    cause: word,
    category: word,
    rule: word,
    meaning: word,
    failures: 1,
    units: 1,
  };
  const errors = {
    ...noErrors,
    nodes_failed: 1,
    first,
    codes: [{ ...code, example: first, log_tail: word || "log" }],
    blocked: [{ by: word, units: 3 }],
    suggestion: {
      action: "restart",
      modifications: {},
      reason: word,
      everybody_command: null,
      command: word || "wms2",
    },
  };
  const results = [0, 1, 2].map((index) =>
    sampleResult(index, { name: word, host: word, site: word, reason: word, state: index === 1 ? "failed" : "done" }),
  );
  return reportFacts(results, { errors, graph: fanOut([word, word, word]), document: word, server: word });
}

test("a page asks nobody for anything, and runs nothing", () => {
  const page = reportPage(factsWith("calm"));
  const { tags, attributes } = read(page);
  for (const tag of ["script", "link", "img", "iframe", "object", "image", "use"]) expect(tags).not.toContain(tag);
  for (const key of ["src", "href", "xlink:href", "style"]) expect(attributes.has(key)).toBe(false);
  expect([...attributes.keys()].filter((key) => key.startsWith("on"))).toEqual([]);
  expect(page).not.toMatch(/url\(|@import/);
  expect(page).toContain("default-src 'none'; style-src 'unsafe-inline'");
});

describe("what it says", () => {
  const states: readonly ResultView["state"][] = [
    "done",
    "running",
    "retrying",
    "waiting",
    "held",
    "blocked",
    "failed",
  ];
  const results = states.map((state, index) => sampleResult(index, { state, name: `job-${state}` }));

  test("every state has its colour and its letter in the graph", () => {
    const names = [...results.map(({ name }) => name), "before"];
    const page = reportPage(reportFacts(results, { graph: fanOut(names), credited: 1 }));
    for (const state of [...states, "credited"] as ShownJobState[])
      expect(page).toMatch(new RegExp(`<rect class="box ${state}"[^>]*/><text [^>]*>${JOB_STATE[state].letter} `));
  });

  test("a wide graph has squares with letters, and no line is multiplied out", () => {
    const many = Array.from({ length: 300 }, (_, index) => sampleResult(index));
    const page = reportPage(reportFacts(many, { graph: fanOut(many.map(({ name }) => name)) }));
    expect(page.match(/<path class="edge"/g)).toHaveLength(2 * 298);
  });

  test("templates show how many of their jobs are where", () => {
    const graph = fanOut(["first", "solve-{part}", "last"], "templates");
    graph.groups[1] = { name: "solve-{part}", layer: 1, jobs: 3, ranges: [[1, 3]] };
    const rows = [1, 2, 3].map((index) => sampleResult(index, { state: index === 3 ? "failed" : "done" }));
    expect(read(reportPage(reportFacts(rows, { graph }))).text).toContain("2 done, 1 failed");
  });

  test("a failed attempt is marked by a letter even where its bar is too narrow for one", () => {
    const rows = [sampleResult(0, { state: "failed", wall_sec: 0, ended_at: null }), sampleResult(5000)];
    const { text } = read(reportPage(reportFacts([{ ...rows[0]!, ended_at: rows[0]!.started_at }, rows[1]!])));
    expect(text).toMatch(/^F$/m);
  });

  test("before anything ran there is the request, and nothing is made up", () => {
    const { text } = read(reportPage(reportFacts([])));
    expect(text).toContain("How to reproduce");
    for (const section of ["Timeline", "Resources", "Failures"]) expect(text).not.toContain(section);
  });
});

test("2,000 jobs: a page of at most 2 MB within 2 s; 10,000 attempts are thinned out and that is said", () => {
  const jobs = (count: number) =>
    Array.from({ length: count }, (_, index) => sampleResult(index, { state: index % 50 === 0 ? "failed" : "done" }));
  const started = performance.now();
  const page = reportPage(reportFacts(jobs(2000)));
  expect(performance.now() - started).toBeLessThan(2000);
  expect(Buffer.byteLength(page)).toBeLessThan(2e6);
  const large = reportPage(reportFacts(jobs(10_000)));
  expect(Buffer.byteLength(large)).toBeLessThan(2e6);
  expect(read(large).text).toMatch(/of\s+10000\s+attempts are drawn/);
});
