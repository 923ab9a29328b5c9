import type { Answer } from "../../api/client.ts";
import type { Tone } from "../../ui/badge.tsx";

export type Seen = Answer<"system.freshness">["items"][number];

/** Read a few times too late is old; how long is usual goes by how often it is read. */
const LATE = 3;
const LEAST_SEC = 60;

/** Good, old, wrong or never: in a letter and a word. */
export function ageOf({ ok, read_at, every_sec }: Seen, now: number): readonly [Tone, string, string] {
  if (!ok) return ["failed", "✕", "trouble"];
  if (read_at === null) return ["waiting", "–", "not read yet"];
  const age = (now - new Date(read_at).getTime()) / 1000;
  // What is looked at only when something changed may well be old.
  if (every_sec !== null && age > Math.max(LEAST_SEC, LATE * every_sec)) return ["held", "O", "old"];
  return ["done", "✓", "fresh"];
}
