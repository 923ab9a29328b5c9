import type { ReactNode } from "react";
import { Letter, type Tone } from "./badge.tsx";

export interface Part {
  readonly tone: Tone;
  readonly letter: string;
  readonly label: string;
  readonly count: number;
}

/** Parts of a whole, and the whole told as text to who cannot see it. */
export function Bar({ parts, total, label }: { parts: readonly Part[]; total: number; label: string }): ReactNode {
  const shown = parts.filter(({ count }) => count > 0);
  const text = shown.map((part) => `${part.count.toLocaleString("en")} ${part.label}`).join(", ");
  return (
    <span
      className="bar live"
      role="img"
      aria-label={`${label}: ${text || "nothing"} of ${total.toLocaleString("en")}`}
    >
      {shown.map((part) => (
        <span
          key={part.label}
          className={`fill tone-${part.tone}`}
          style={{ width: `${(100 * part.count) / Math.max(1, total)}%` }}
          title={`${part.label}: ${part.count.toLocaleString("en")}`}
        />
      ))}
    </span>
  );
}

export const Legend = ({ parts }: { parts: readonly Part[] }): ReactNode => (
  <ul className="legend live">
    {parts.map((part) => (
      <li key={part.label} className="badge">
        <Letter tone={part.tone} letter={part.letter} />
        <span>
          <b className="number">{part.count.toLocaleString("en")}</b> {part.label}
        </span>
      </li>
    ))}
  </ul>
);
