import type { StoryEnd } from "./story.ts";
import { spoken } from "./timeline.ts";

const MOST_FAILURES = 6;

export const isFine = ({ checked, lawsBroken, refused }: StoryEnd): boolean =>
  refused.length === 0 && lawsBroken.length === 0 && checked.every(({ holds }) => holds);

/** The story in a few lines: each request, the failures, the expectations, how long it took. */
export function summarise(end: StoryEnd, wallSec: number): string {
  const lines: string[] = [""];
  for (const { request, status, hold, numbers } of end.facts) {
    const work = `${count(numbers.units_done, "unit")} done, ${count(numbers.rounds, "round")}, ${count(numbers.rescues, "rescue")}`;
    const tries = `${count(numbers.attempts, "attempt")}, ${numbers.failed_attempts} failed`;
    lines.push(`${request}: ${status}${hold ? ` (${hold.code}: ${hold.message})` : ""}; ${work}; ${tries}`);
    const failures = [...(end.tallies.get(request)?.failures ?? [])].sort((a, b) => b[1] - a[1]);
    for (const [what, times] of failures.slice(0, MOST_FAILURES))
      lines.push(`  ${String(times).padStart(6)} × ${what}`);
    if (failures.length > MOST_FAILURES) lines.push(`         and ${failures.length - MOST_FAILURES} other kinds`);
  }
  const servers = end.servers > 1 ? `, ${end.servers} servers` : "";
  lines.push(`${spoken(end.virtualSec)} in ${wallSec.toFixed(1)} s: ${count(end.passes, "pass", "passes")}${servers}`);
  const wrong = end.checked.filter(({ holds }) => !holds);
  if (end.checked.length > 0)
    lines.push(`expectations: ${end.checked.length - wrong.length} of ${end.checked.length} hold`);
  for (const { words } of wrong) lines.push(`  ✗ ${words}`);
  for (const words of end.lawsBroken) lines.push(`  ✗ law broken: ${words}`);
  return lines.join("\n");
}

/** The same for programs: the last line of --json. */
export const summaryJson = (end: StoryEnd, wallSec: number) => ({
  kind: "summary",
  ok: isFine(end),
  requests: end.facts,
  expectations: end.checked,
  lawsBroken: end.lawsBroken,
  problems: end.refused,
  virtualSec: end.virtualSec,
  wallSec,
  passes: end.passes,
  servers: end.servers,
});

const count = (number: number, one: string, many = `${one}s`): string => `${number} ${number === 1 ? one : many}`;
