import type { RunVerdict } from "../../src/core/run.ts";
import type { Form } from "../../src/intake/reading/form.ts";
import { DAY, readRows, SPAN, textOrNull } from "./read-parts.ts";

const VERDICTS: readonly RunVerdict[] = ["success", "failed", "aborted", "removed", "halted", "unreadable", "lost"];

/** null: the only request. */
const request = (form: Form) => ({ request: textOrNull(form, "request") });
const site = (form: Form) => {
  if (form.spot("site") === null) form.missing("site");
  return { site: form.text("site", "") };
};
const siteStatus = (action: "drain" | "enable" | "disable") => (form: Form) => ({
  kind: "site" as const,
  action,
  ...site(form),
});

/** What is not ours goes to the command as it is written: it knows what is right. */
const operator =
  <A extends string>(action: A) =>
  (form: Form) => {
    const own = { ...request(form), reason: form.text("reason", `${action} by the story`) };
    const ours = new Set(["at", "do", "request", "reason"]);
    const body = Object.fromEntries(Object.entries(form.row).filter(([key]) => !ours.has(key)));
    form.knows(...Object.keys(body));
    return { kind: "operator" as const, action, ...own, body };
  };

/** What can be written after `do:`. */
const ACTIONS = {
  "kill-server": (form: Form) => ({
    kind: "kill-server" as const,
    downSec: form.duration("down", SPAN, 0) ?? 0,
    /** Dies inside this call of a port ("engine.submit"), or after so many calls; null: between two passes. */
    during: form.spot("during") === null ? null : form.text("during", "", /^[a-z]+\.[A-Za-z.]+$/, "engine.submit"),
    when: form.choice("when", ["before", "after"], "after"),
    afterCalls: form.integer("after_calls", { min: 1, max: 1e9 }, null),
  }),
  "engine-down": (form: Form) => ({ kind: "engine-down" as const, forSec: form.duration("for", SPAN, null) }),
  "engine-up": () => ({ kind: "engine-up" as const }),
  "lose-answer": () => ({ kind: "lose-answer" as const }),
  "refuse-submits": (form: Form) => ({
    kind: "refuse-submits" as const,
    reason: form.text("reason", "no more submissions") as string | null,
  }),
  "accept-submits": () => ({ kind: "refuse-submits" as const, reason: null }),
  "end-run": (form: Form) => ({
    kind: "end-run" as const,
    ...request(form),
    verdict: form.choice("verdict", VERDICTS, "removed"),
  }),
  "lose-run": (form: Form) => ({ kind: "end-run" as const, ...request(form), verdict: "lost" as const }),
  "hold-run": (form: Form) => ({ kind: "hold-run" as const, ...request(form) }),
  "release-run": (form: Form) => ({ kind: "release-run" as const, ...request(form) }),
  "corrupt-rescue": (form: Form) => ({
    kind: "corrupt-rescue" as const,
    ...request(form),
    unit: textOrNull(form, "unit"),
  }),
  "delete-directory": (form: Form) => ({ kind: "delete-directory" as const, ...request(form) }),
  ban: (form: Form) => ({
    kind: "ban" as const,
    ...site(form),
    forSec: form.duration("for", SPAN, 7 * DAY) ?? 0,
    reason: form.text("reason", "banned by the story"),
  }),
  unban: (form: Form) => ({ kind: "unban" as const, ...site(form) }),
  "site-down": (form: Form) => ({ kind: "site-down" as const, ...site(form) }),
  "site-up": (form: Form) => ({ kind: "site-up" as const, ...site(form) }),
  drain: siteStatus("drain"),
  enable: siteStatus("enable"),
  disable: siteStatus("disable"),
  stop: operator("stop"),
  requeue: operator("requeue"),
  resume: operator("resume"),
  hold: operator("hold"),
  release: operator("release"),
  rescue: operator("rescue"),
  resubmit: operator("resubmit"),
  fail: operator("fail"),
  restart: operator("restart"),
  abort: operator("abort"),
};

export type Action = Readonly<ReturnType<(typeof ACTIONS)[keyof typeof ACTIONS]>>;
interface ScenarioEvent {
  readonly atSec: number;
  readonly act: Action;
}

const EVENT_FORM = '{at: "2 h", do: stop}, {at: "2 h", do: engine-down, for: "30 min"}';
const KINDS = Object.keys(ACTIONS) as (keyof typeof ACTIONS)[];

export const readEvents = (top: Form): readonly ScenarioEvent[] =>
  readRows(top, { key: "events", max: 10_000, what: "an event", example: EVENT_FORM }, readEvent).toSorted(
    (a, b) => a.atSec - b.atSec,
  );

function readEvent(form: Form): ScenarioEvent {
  if (form.spot("at") === null) form.missing("at", EVENT_FORM);
  const atSec = form.duration("at", SPAN, 0) ?? 0;
  if (form.spot("do") === null) form.missing("do", KINDS.join(", "));
  return { atSec, act: ACTIONS[form.choice("do", KINDS, "engine-up")](form) };
}
