import { Form } from "../intake/form.ts";
import { shown } from "../intake/notes.ts";
import { isRow, type Spot } from "../intake/values.ts";
import { CAUSES } from "../recovery/attempt.ts";
import { readNumberTest } from "./number-test.ts";
import type { OutcomeResult, OutcomeRule } from "./scenario.ts";

const SPAN = { min: 0, max: 400 * 86_400 };
const ROLES = ["landing", "processing", "merge", "cleanup"] as const;
const RESULTS = ["exit_code", "signal", "cause", "succeed"] as const;
const OTHER_CAUSES = CAUSES.filter((cause) => cause !== "exit" && cause !== "signal");
const RESULT_FORMS = `exit_code: 8021, signal: 9, cause: ${OTHER_CAUSES.join(" | ")}, or succeed: true`;

export function readOutcomes(top: Form): readonly OutcomeRule[] {
  return top.list("outcomes", 1000).flatMap((spot, index) => readRule(spot, index, top));
}

function readRule({ path, value }: Spot, index: number, top: Form): readonly OutcomeRule[] {
  if (!isRow(value)) {
    top.notes.problem(path, `must be a rule (got ${shown(value)})`, RESULT_FORMS);
    return [];
  }
  const form = new Form(value, path, top.notes);
  const memory = form.size("memory_below", { min: 1, max: 1e15 }, null);
  const peak = form.size("peak_memory", { min: 1, max: 1e15 }, null);
  const role = form.spot("role");
  const rule: OutcomeRule = {
    index,
    match: {
      request: readPattern(form, "request"),
      sites: readPattern(form, "site"),
      unit: readPattern(form, "unit"),
      node: readPattern(form, "node"),
      roles: role === null ? (hasNode(form) ? ROLES : ["processing"]) : [form.choice("role", ROLES, "merge")],
      file: readPattern(form, "file"),
      attempt: readNumberTest(form, "attempt"),
      epoch: readNumberTest(form, "epoch"),
      fromSec: form.duration("from", SPAN, 0) ?? 0,
      untilSec: form.duration("until", SPAN, null) ?? Number.POSITIVE_INFINITY,
      probability: form.number("probability", { min: 0, max: 1 }, 1),
      memoryBelowMb: memory === null ? null : memory / 1e6,
      times: form.integer("times", { min: 1, max: 1e9 }, 1e9),
    },
    result: readResult(form),
    afterSec: form.duration("after", SPAN, null),
    peakMemoryMb: peak === null ? null : peak / 1e6,
    stderr: form.spot("stderr") === null ? null : form.text("stderr", "", /^[\s\S]{1,10000}$/),
  };
  form.close();
  return [rule];
}

/** A rule that names a node means that node, whatever its role. */
const hasNode = (form: Form): boolean => form.spot("node") !== null;

function readResult(form: Form): OutcomeResult {
  const given = RESULTS.filter((key) => form.spot(key) !== null);
  if (given.length !== 1)
    form.notes.problem(
      form.path,
      given.length === 0 ? "does not say how the job ends" : `has ${given.join(" and ")}: keep one`,
      RESULT_FORMS,
    );
  switch (given[0]) {
    case "exit_code":
      return { kind: "exit", code: form.integer("exit_code", { min: 1, max: 999_999 }, 1) };
    case "signal":
      return { kind: "signal", signal: form.integer("signal", { min: 1, max: 64 }, 9) };
    case "cause":
      return { kind: "cause", cause: form.choice("cause", OTHER_CAUSES, "evicted") };
    default:
      form.flag("succeed", true);
      return { kind: "succeed" };
  }
}

/** Names with `*` for anything; a list: any of them. */
export function readPattern(form: Form, key: string): RegExp | null {
  const spot = form.spot(key);
  if (spot === null) return null;
  const words = Array.isArray(spot.value) ? spot.value : [spot.value];
  if (!words.every((word) => typeof word === "string" && word !== "")) {
    form.notes.problem(spot.path, `must be a name, * standing for anything (got ${shown(spot.value)})`);
    return null;
  }
  const parts = words.map((word: string) =>
    word
      .split("*")
      .map((piece) => piece.replaceAll(/[.*+?^${}()|[\]\\]/g, "\\$&"))
      .join(".*"),
  );
  return new RegExp(`^(?:${parts.join("|")})$`);
}
