import { type ReactNode, useEffect, useState } from "react";
import { useSettings } from "./settings.ts";
import { absolute, duration, expected, relative } from "./time-words.ts";

/** Once in a while, for what is told relative to now. */
export function useNow(everyMs = 5000): number {
  const [now, setNow] = useState(Date.now);
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), everyMs);
    return () => clearInterval(timer);
  }, [everyMs]);
  return now;
}

interface TimeProps {
  readonly at: string;
  /** relative: how long ago or until; both: the time itself, too; span: only how long. */
  readonly as?: "relative" | "absolute" | "both" | "span";
  /** Worked out from the pace so far: not told to the second. */
  readonly isGuess?: boolean;
}

/** A time in the zone people chose, the zone written beside it; ISO in the tooltip. */
export function Time({ at, as = "relative", isGuess = false }: TimeProps): ReactNode {
  const now = useNow();
  const { zone } = useSettings();
  const date = new Date(at);
  const full = absolute(date, zone, now, isGuess);
  const near = (isGuess ? expected : relative)(date.getTime() - now);
  const texts = {
    relative: near,
    absolute: full,
    both: `${near} · ${full}`,
    span: duration(Math.abs(date.getTime() - now) / 1000),
  };
  return (
    <time dateTime={at} title={`${full} · ${at}`} className="number">
      {texts[as]}
    </time>
  );
}

/** How long something goes on: for another 6 d 23 h, until … */
export const Until = ({ at }: { at: string }): ReactNode => (
  <>
    for another <Time at={at} as="span" />, until <Time at={at} as="absolute" />
  </>
);
