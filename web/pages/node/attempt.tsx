import type { ReactNode } from "react";
import { Link } from "wouter";
import type { AttemptView } from "../../../src/operations/attempts.ts";
import { Letter } from "../../ui/badge.tsx";
import { Facts } from "../../ui/facts.tsx";
import { Time } from "../../ui/time.tsx";
import { duration } from "../../ui/time-words.ts";
import { DECISION_LOOK, megabytes, seconds, usedOf, wallAskedSec } from "./story.ts";

interface AttemptProps {
  readonly number: number;
  readonly attempt: AttemptView;
  /** null: its log is no more, or of a round before. */
  readonly errors: string | null;
  readonly output: string | null;
}

/** One attempt: where, how it ended, what it used, what was decided and by which rule. */
export function Attempt({ number, attempt, errors, output }: AttemptProps): ReactNode {
  const [tone, letter, word] = DECISION_LOOK[attempt.decision];
  const facts: readonly (readonly [string, ReactNode])[] = [
    ["Where", [attempt.site ?? "unknown site", attempt.host].filter(Boolean).join(" · ")],
    ["Ended", <Time key="at" at={attempt.ended_at ?? attempt.at} as="both" />],
    ["Memory", usedOf(attempt.memory_mb, attempt.peak_memory_mb, megabytes)],
    ["Time", usedOf(wallAskedSec(attempt), attempt.wall_sec, seconds)],
    ["Next asks for", nextAsks(attempt)],
    ["Away from", attempt.avoid_sites.join(", ")],
    ["Bad files", attempt.bad_files.join(", ")],
    ["Recovery script", attempt.script && `${attempt.script.script}: ${attempt.script.result}`],
  ];
  return (
    <li className="panel">
      <header>
        <h2>
          <Letter tone={tone} letter={letter} /> Attempt {number}: {word}
        </h2>
        <span className="quiet">
          round {attempt.round}
          {attempt.epoch > 0 && `, budget ${attempt.epoch + 1}`} · job {attempt.cluster ?? "never submitted"}
        </span>
        <span className="end">
          {errors && <Link href={errors}>Errors</Link>} {output && <Link href={output}>Output</Link>}
        </span>
      </header>
      <div className="body commands">
        {attempt.cause !== null && (
          <p>
            {attempt.reason} {attempt.rule !== null && <Rule attempt={attempt} />}
          </p>
        )}
        <Facts facts={facts} />
      </div>
    </li>
  );
}

const Rule = ({ attempt }: { attempt: AttemptView }): ReactNode => (
  <span className="quiet">
    By rule <Link href={`/policy?code=${attempt.exit_code}`}>{attempt.rule}</Link>
    {attempt.rule_source && ` [${attempt.rule_source}]`}
    {attempt.category && `, ${attempt.category}`}.
  </span>
);

function nextAsks({ decision, next_memory_mb, next_wall_minutes, delay_sec }: AttemptView): string {
  if (decision !== "retry") return "";
  const parts = [
    next_memory_mb === null ? "" : megabytes(next_memory_mb),
    next_wall_minutes === null ? "" : duration(next_wall_minutes * 60),
    delay_sec > 0 ? `after ${duration(delay_sec)}` : "at once",
  ];
  return parts.filter((part) => part !== "").join(", ");
}
