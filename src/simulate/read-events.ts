import type { RunVerdict } from "../domain/run.ts";
import { Form } from "../intake/form.ts";
import { shown } from "../intake/notes.ts";
import { isRow, type Spot } from "../intake/values.ts";
import { type Deed, OPERATOR_DEEDS, type OperatorDeed, type ScenarioEvent } from "./scenario.ts";

const SPAN = { min: 0, max: 400 * 86_400 };
const VERDICTS = ["success", "failed", "aborted", "removed", "halted", "unreadable", "lost"] as const;

/** What can be written after `do:`, with the key whose value may follow it. */
const DEEDS: Readonly<Record<string, (form: Form, value: unknown) => Deed>> = {
  "kill-server": (form) => ({
    kind: "kill-server",
    downSec: form.duration("down", SPAN, 0) ?? 0,
    during: form.spot("during") === null ? null : form.text("during", "", /^[a-z]+\.[A-Za-z.]+$/, "engine.submit"),
    when: form.choice("when", ["before", "after"], "after"),
    afterCalls: form.integer("after_calls", { min: 1, max: 1e9 }, null),
  }),
  "engine-down": (form) => ({ kind: "engine-down", forSec: form.duration("for", SPAN, null) }),
  "engine-up": () => ({ kind: "engine-up" }),
  "lose-answer": () => ({ kind: "lose-answer" }),
  "refuse-submits": (form) => ({ kind: "refuse-submits", words: form.text("words", "no more submissions") }),
  "accept-submits": () => ({ kind: "refuse-submits", words: null }),
  "end-run": (form) => ({
    kind: "end-run",
    request: requestOf(form),
    verdict: form.choice<RunVerdict>("verdict", VERDICTS, "removed"),
  }),
  "lose-run": (form) => ({ kind: "end-run", request: requestOf(form), verdict: "lost" }),
  "hold-run": (form) => ({ kind: "hold-run", request: requestOf(form) }),
  "release-run": (form) => ({ kind: "release-run", request: requestOf(form) }),
  "corrupt-rescue": (form) => ({
    kind: "corrupt-rescue",
    request: requestOf(form),
    unit: form.text("unit", "") || null,
  }),
  "delete-directory": (form) => ({ kind: "delete-directory", request: requestOf(form) }),
  ban: (form) => ({
    kind: "ban",
    site: siteOf(form),
    forSec: form.duration("for", SPAN, 7 * 86_400) ?? 0,
    reason: form.text("reason", "banned by the story"),
  }),
  unban: (form) => ({ kind: "unban", site: siteOf(form) }),
  "site-down": (form) => ({ kind: "site-down", site: siteOf(form) }),
  "site-up": (form) => ({ kind: "site-up", site: siteOf(form) }),
  drain: (form) => ({ kind: "site", action: "drain", site: siteOf(form) }),
  enable: (form) => ({ kind: "site", action: "enable", site: siteOf(form) }),
  disable: (form) => ({ kind: "site", action: "disable", site: siteOf(form) }),
  ...Object.fromEntries(OPERATOR_DEEDS.map((action) => [action, (form: Form) => operatorDeed(action, form)])),
};

const requestOf = (form: Form): string | null => form.text("request", "") || null;
const siteOf = (form: Form): string => {
  if (form.spot("site") === null) form.missing("site");
  return form.text("site", "");
};

/** What is not ours goes to the command as it is written: it knows what is right. */
function operatorDeed(action: OperatorDeed, form: Form): Deed {
  const request = requestOf(form);
  const reason = form.text("reason", `${action} by the story`);
  const own = new Set(["at", "do", "request", "reason"]);
  const body = Object.fromEntries(Object.entries(form.row).filter(([key]) => !own.has(key)));
  form.knows(...Object.keys(body));
  return { kind: "operator", action, request, reason, body };
}

const EVENT_FORM = '{at: "2 h", do: stop}, {at: "2 h", do: engine-down, for: "30 min"}';

export function readEvents(top: Form): readonly ScenarioEvent[] {
  const events = top.list("events", 10_000).flatMap((spot) => readEvent(spot, top));
  return events.toSorted((a, b) => a.atSec - b.atSec);
}

function readEvent({ path, value }: Spot, top: Form): readonly ScenarioEvent[] {
  if (!isRow(value)) {
    top.notes.problem(path, `must be an event (got ${shown(value)})`, EVENT_FORM);
    return [];
  }
  const form = new Form(value, path, top.notes);
  if (form.spot("at") === null) form.missing("at", EVENT_FORM);
  const atSec = form.duration("at", SPAN, 0) ?? 0;
  const kinds = Object.keys(DEEDS);
  if (form.spot("do") === null) form.missing("do", kinds.join(", "));
  const kind = form.choice("do", kinds, "engine-up");
  const deed = DEEDS[kind]!(form, null);
  form.close();
  return [{ atSec, deed }];
}
