import type { ReactNode } from "react";

/** A state is never told by colour alone: its letter stands in the square, its word beside it. */
export type Tone = "waiting" | "running" | "done" | "failed" | "held" | "retrying";

export const Letter = ({ tone, letter }: { tone: Tone; letter: string }): ReactNode => (
  <span className={`letter tone-${tone}`} aria-hidden="true">
    {letter}
  </span>
);

export const Badge = ({ tone, letter, children }: { tone: Tone; letter: string; children: ReactNode }): ReactNode => (
  <span className={`badge tone-${tone}`}>
    <Letter tone={tone} letter={letter} />
    <span>{children}</span>
  </span>
);
