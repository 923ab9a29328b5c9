import { REQUEST_STATUSES } from "../domain/request-status.ts";
import { Form } from "../intake/form.ts";
import { shown } from "../intake/notes.ts";
import { isRow, type Spot } from "../intake/values.ts";
import { NUMBER_FORMS, parseNumberTest } from "./number-test.ts";
import { type Expectation, FACT_NAMES, type NumberTest } from "./scenario.ts";

const SPAN = { min: 0, max: 400 * 86_400 };

export function readExpectations(top: Form): readonly Expectation[] {
  return top.list("expect", 1000).flatMap((spot) => readExpectation(spot, top));
}

function readExpectation({ path, value }: Spot, top: Form): readonly Expectation[] {
  if (!isRow(value)) {
    top.notes.problem(path, `must be an expectation (got ${shown(value)})`, "{status: completed, rescues: 1}");
    return [];
  }
  const form = new Form(value, path, top.notes);
  const expectation: Expectation = {
    atSec: form.duration("at", SPAN, null),
    request: form.text("request", "") || null,
    status: readStatuses(form),
    hold: form.text("hold", "") || null,
    numbers: readNumbers(form),
    decisions: texts(form, "decisions"),
    never: texts(form, "never"),
    timeline: texts(form, "timeline"),
  };
  form.close();
  return [expectation];
}

function readStatuses(form: Form): readonly string[] | null {
  const spot = form.spot("status");
  if (spot === null) return null;
  const words: readonly unknown[] = Array.isArray(spot.value) ? spot.value : [spot.value];
  for (const word of words)
    if (!(REQUEST_STATUSES as readonly unknown[]).includes(word))
      form.notes.problem(spot.path, `${shown(word)} is no status`, REQUEST_STATUSES.join(", "));
  return words.map(String);
}

function readNumbers(form: Form): Readonly<Record<string, NumberTest>> {
  const found: Record<string, NumberTest> = {};
  for (const name of Object.keys(FACT_NAMES)) {
    const spot = form.spot(name);
    if (spot === null) continue;
    const test = parseNumberTest(spot.value);
    if (test) found[name] = test;
    else form.notes.problem(spot.path, `is no number or range (got ${shown(spot.value)})`, NUMBER_FORMS);
  }
  return found;
}

function texts(form: Form, key: string): readonly string[] {
  return form.list(key, 1000).flatMap(({ path, value }) => {
    if (typeof value === "string") return [value];
    form.notes.problem(path, `must be text (got ${shown(value)})`);
    return [];
  });
}
