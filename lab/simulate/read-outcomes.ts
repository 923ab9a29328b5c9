import { NODE_ROLES } from "../../src/core/roles.ts";
import type { Form } from "../../src/intake/reading/form.ts";
import { CAUSES } from "../../src/recovery/attempt.ts";
import { readNumberTest, readPattern, readRows, SPAN } from "./read-parts.ts";

const RESULTS = ["exit_code", "signal", "cause", "succeed"] as const;
const OTHER_CAUSES = CAUSES.filter((cause) => cause !== "exit" && cause !== "signal");
const RESULT_FORMS = `exit_code: 8021, signal: 9, cause: ${OTHER_CAUSES.join(" | ")}, or succeed: true`;

/** Of all rules, the first whose conditions all hold decides how an attempt ends; none: it succeeds. */
export type OutcomeRule = Readonly<ReturnType<typeof readRule>>;

export const readOutcomes = (top: Form): readonly OutcomeRule[] =>
  readRows(top, { key: "outcomes", max: 1000, what: "a rule", example: RESULT_FORMS }, readRule);

function readRule(form: Form, index: number) {
  const memory = form.size("memory_below", { min: 1, max: 1e15 }, null);
  const peak = form.size("peak_memory", { min: 1, max: 1e15 }, null);
  return {
    index,
    match: {
      request: readPattern(form, "request"),
      sites: readPattern(form, "site"),
      unit: readPattern(form, "unit"),
      node: readPattern(form, "node"),
      roles: readRoles(form),
      file: readPattern(form, "file"),
      /** Which execution of the node in its epoch, losses included; kept across rescues. */
      attempt: readNumberTest(form, "attempt"),
      epoch: readNumberTest(form, "epoch"),
      fromSec: form.duration("from", SPAN, 0) ?? 0,
      untilSec: form.duration("until", SPAN, null) ?? Number.POSITIVE_INFINITY,
      probability: form.number("probability", { min: 0, max: 1 }, 1),
      /** Only while the attempt asks for less. */
      memoryBelowMb: memory === null ? null : memory / 1e6,
      /** At most so many attempts, in the order in which they begin. */
      times: form.integer("times", { min: 1, max: 1e9 }, 1e9),
    },
    result: readResult(form),
    /** null: as long as a good one takes. */
    afterSec: form.duration("after", SPAN, null),
    peakMemoryMb: peak === null ? null : peak / 1e6,
    stderr: form.spot("stderr") === null ? null : form.text("stderr", "", /^[\s\S]{1,10000}$/),
  };
}

/** A rule that names a node means that node, whatever its role. */
function readRoles(form: Form): readonly string[] {
  if (form.spot("role") !== null) return [form.choice("role", NODE_ROLES, "merge")];
  return form.spot("node") === null ? ["processing", "job"] : NODE_ROLES;
}

function readResult(form: Form) {
  const given = RESULTS.filter((key) => form.spot(key) !== null);
  if (given.length !== 1) {
    const message = given.length === 0 ? "does not say how the job ends" : `has ${given.join(" and ")}: keep one`;
    form.notes.problem(form.path, message, RESULT_FORMS);
  }
  switch (given[0]) {
    case "exit_code":
      return { kind: "exit" as const, code: form.integer("exit_code", { min: 1, max: 999_999 }, 1) };
    case "signal":
      return { kind: "signal" as const, signal: form.integer("signal", { min: 1, max: 64 }, 9) };
    case "cause":
      return { kind: "cause" as const, cause: form.choice("cause", OTHER_CAUSES, "evicted") };
    default:
      form.flag("succeed", true);
      return { kind: "succeed" as const };
  }
}
