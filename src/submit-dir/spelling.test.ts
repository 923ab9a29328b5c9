import { readdirSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { ROLES } from "../core/roles.ts";
import { CODES, RESERVED } from "./codes.ts";
import { ATTEMPT, BESIDE_DAG, besideDag, NODE, nodeFile, TOP, UNIT } from "./names.ts";

/** The programs without their comments: what they say to the system. */
const read = (path: string): string =>
  readFileSync(new URL(`payload/${path}`, import.meta.url), "utf8").replaceAll(/^\s*#.*$|\s# .*$/gm, "");
const programsIn = (folder: string): string[] =>
  readdirSync(new URL(`payload/${folder}/`, import.meta.url))
    .filter((name) => !name.endsWith(".test.ts"))
    .map((name) => `${folder}/${name}`);

/** Which of the names each program spells. One that begins to use another one is added here. */
const job = "$job";
const SPELLED: Readonly<Record<string, readonly string[]>> = {
  "submit-host/pre": [
    TOP.ended,
    UNIT.manifest,
    UNIT.ledger,
    ...[job, "landing"].map((node) => nodeFile(node, "post")),
    nodeFile(job, "stopped"),
    nodeFile(job, "wait"),
  ],
  "submit-host/post": [UNIT.manifest, UNIT.mergeOutput],
  "submit-host/elect": [UNIT.include, UNIT.log, nodeFile("landing", "post"), besideDag(UNIT.dag, "rescue")],
  "submit-host/unit": [UNIT.abort, nodeFile("$1", "post"), besideDag(UNIT.dag, "out"), besideDag(UNIT.dag, "lock")],
  "submit-host/submit": [
    TOP.dag,
    besideDag(TOP.dag, "submit"),
    besideDag(TOP.dag, "rescue"),
    besideDag(TOP.dag, "out"),
    besideDag(TOP.dag, "lock"),
    TOP.submission,
    TOP.submissionLock,
  ],
  "submit-host/verdict.sh": [
    UNIT.include,
    UNIT.ledger,
    UNIT.mergeOutput,
    nodeFile(job, "post"),
    nodeFile(job, "stopped"),
    nodeFile(job, "trouble"),
    `$job.$cluster.${ATTEMPT.report}`,
  ],
  "worker/job.sh": [UNIT.manifest],
  "worker/manifest.sh": [UNIT.manifest],
  "worker/merge.sh": [UNIT.manifest, UNIT.mergeOutput],
  "worker/processing.sh": [UNIT.manifest],
  "worker/products.sh": [UNIT.manifest],
  "worker/report.sh": [ATTEMPT.report],
  "worker/run.sh": [UNIT.mergeOutput],
  "worker/step.sh": [UNIT.manifest],
};

const ENDINGS = [
  "json",
  "jsonl",
  "inc",
  "list",
  "abort",
  "stopped",
  "wait",
  "trouble",
  "dag",
  "condor\\.sub",
  "dagman\\.out",
  "dag\\.lock",
  "rescue",
  "group\\.log",
];
const NAME = new RegExp(`[$\\w.-]*(?:\\b|\\.)(?:${ENDINGS.join("|")})(?![\\w.-]*\\w)`, "g");
const named = (text: string): string[] =>
  [...new Set(text.replaceAll(/\.tmp\b/g, "").match(NAME))].map((name) => name.replace(/^\.(?=[$\w])/, ""));

test.each([...programsIn("submit-host"), ...programsIn("worker")])("%s spells names as the table does", (path) => {
  const text = read(path);
  const expected = SPELLED[path] ?? [];
  for (const name of expected) expect(text).toContain(name);
  const files = named(text).filter((name) => name.includes(".") && !name.startsWith("..."));
  expect(files.filter((name) => !expected.includes(name))).toEqual([]);
});

test("the scripts beside DAGMan end with the codes of the table only", () => {
  const known: readonly number[] = Object.values(CODES);
  for (const path of ["pre", "post", "elect", "unit", "verdict.sh"]) {
    const codes = [...read(`submit-host/${path}`).matchAll(/\bexit (\d+)/g)].map(([, code]) => Number(code));
    expect(codes.filter((code) => !known.includes(code))).toEqual([]);
  }
  const { done, retry, stop, abort, defer, skip, script } = CODES;
  expect(read("submit-host/verdict.sh")).toContain(`${[done, retry, stop, abort, defer].join(" | ")}) exit $answer`);
  expect(read("submit-host/verdict.sh")).toContain(`${script}) exec node`);
  expect(read("submit-host/pre")).toContain(`if stays_done; then exit ${skip}`);
  expect(read("submit-host/unit")).toContain(`run.abort ]; then exit ${abort}`);
  expect(read("submit-host/unit")).toContain(`*) exit ${skip} ;; esac`);
  expect(read("worker/report.sh")).toContain(`${RESERVED.join(" | ")}) exit 1`);
});

test("docs/submit-directory.md tells of every name and code", () => {
  const doc = readFileSync(new URL("../../docs/submit-directory.md", import.meta.url), "utf8");
  const names = [
    ...Object.values(TOP),
    ...Object.values(UNIT),
    ...Object.values(NODE).map((suffix) => `<node>.${suffix}`),
    ...Object.values(ATTEMPT).map((suffix) => `.${suffix}`),
    ...Object.values(BESIDE_DAG).map((suffix) => `.${suffix}`),
    ...Object.values(ROLES).map(({ submitFile }) => submitFile),
    ...[CODES.stop, CODES.abort, CODES.defer, CODES.skip].map((code) => `${code} `),
  ];
  expect(names.filter((name) => !doc.includes(name))).toEqual([]);
});
