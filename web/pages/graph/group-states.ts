import type { JobState } from "../../../src/core/job-state.ts";
import type { UnitMapView } from "../../../src/operations/dags.ts";
import type { OutlineView } from "../../../src/operations/results.ts";

type Group = OutlineView["groups"][number];

/** Of a group of jobs: the state that needs most attention, and how many are how far. */
export function groupState({ jobs, ranges }: Group, { runs, states }: Pick<UnitMapView, "runs" | "states">) {
  const counts = { w: 0, r: 0, d: 0, f: 0 };
  let before = 0;
  for (const [, first, many] of runs) {
    for (const [from, to] of ranges)
      for (let job = Math.max(from, first); job <= Math.min(to, first + many - 1); job += 1)
        counts[states[before + job - first] as keyof typeof counts] += 1;
    before += many;
  }
  // Those that an earlier version did are not in this round.
  const done = jobs - counts.w - counts.r - counts.f;
  const state: JobState = counts.f > 0 ? "failed" : counts.r > 0 ? "running" : done === jobs ? "done" : "waiting";
  const said = (["f", "r", "w"] as const).flatMap((letter) =>
    counts[letter] > 0 ? [`${counts[letter].toLocaleString("en")} ${WORD[letter]}`] : [],
  );
  return { state, text: [`${done.toLocaleString("en")} of ${jobs.toLocaleString("en")} done`, ...said].join(", ") };
}

const WORD = { f: "failed", r: "running", w: "waiting" } as const;
