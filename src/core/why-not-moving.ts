/** A time as a record or as the API has it. */
type Time = Date | string;
interface Wait {
  readonly code: string;
  readonly reason: string;
  readonly until: Time | null;
  readonly details: readonly string[];
}
interface Standing {
  readonly hold: { readonly code: string; readonly message: string } | null;
  readonly error: { readonly message: string; readonly count: number } | null;
  readonly waiting: Wait | null;
}

/** What keeps a request: a hold, a failing pass, or what it waits for; "": nothing does. */
export function whyNotMoving({ hold, error, waiting }: Standing): string {
  if (hold) return `${hold.code}: ${hold.message}`;
  if (error) return `pass failed ${error.count}×: ${error.message}`;
  if (!waiting) return "";
  // While jobs run, the units show that better than text; what does not run beside them is said.
  return [...(waiting.code === "running" ? [] : [waitText(waiting)]), ...waiting.details].join("; ");
}

/** What it waits for, and until when. */
export function waitText({ reason, until }: Pick<Wait, "reason" | "until">): string {
  if (!until) return reason;
  const at = typeof until === "string" ? until : until.toISOString();
  return `${reason}, until ${at.slice(0, 19).replace("T", " ")}`;
}
