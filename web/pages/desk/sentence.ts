import type { Tone } from "../../ui/badge.tsx";
import { count } from "../../words.ts";

interface Facts {
  readonly held: number;
  readonly causes: number;
  readonly alerts: number;
  /** By status. */
  readonly requests: Readonly<Record<string, number>>;
}

/** Whether somebody is needed, and how much goes on without them. */
export function deskSentence({ held, causes, alerts, requests }: Facts): { tone: Tone; needs: string; rest: string } {
  const waits =
    held > 0 ? `${count(held, "request waits", "requests wait")} for a person` : "No request waits for a person";
  const why = held > 0 && causes > 0 ? `, from ${count(causes, "cause")}` : "";
  const heard = alerts > 0 ? `; ${count(alerts, "other alert")}` : "";
  const of = (...words: string[]) => words.reduce((sum, word) => sum + (requests[word] ?? 0), 0);
  const parts = [
    [of("active", "planning", "partial"), "running normally"],
    [of("queued", "submitted"), "queued"],
    [of("completed"), "completed"],
  ].filter(([number]) => Number(number) > 0);
  const rest = parts.map(([number, word]) => `${word}: ${Number(number).toLocaleString("en")}`).join(", ");
  return {
    tone: held > 0 ? "held" : alerts > 0 ? "retrying" : "done",
    needs: `${waits}${why}${heard}.`,
    rest: rest && `${rest.replace(/^./, (first) => first.toUpperCase())}.`,
  };
}
