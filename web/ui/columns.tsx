import type { ReactNode } from "react";
import type { Part } from "./bar.tsx";

export interface Column {
  readonly label: string;
  readonly parts: readonly Part[];
}

interface ColumnsProps {
  readonly label: string;
  readonly columns: readonly Column[];
  /** Of the highest column; left out: it is the highest there is. */
  readonly most?: number;
}

/** Small bars side by side, each of parts upon each other; what they come to is told as text to who cannot see them. */
export function Columns({ label, columns, most }: ColumnsProps): ReactNode {
  const sums = columns.map(({ parts }) => parts.reduce((sum, { count }) => sum + count, 0));
  const highest = Math.max(1, most ?? 0, ...sums);
  return (
    <span className="hour-bars live" role="img" aria-label={`${label}: ${totals(columns) || "nothing"}`}>
      {columns.map((column, index) => (
        <span key={column.label} className="hour" title={`${column.label}: ${totals([column]) || "nothing"}`}>
          {sums[index]! > 0 &&
            column.parts.map(({ label: name, tone, count }) => (
              <span key={name} className={`fill tone-${tone}`} style={{ height: `${(100 * count) / highest}%` }} />
            ))}
        </span>
      ))}
    </span>
  );
}

function totals(columns: readonly Column[]): string {
  const sums = new Map<string, number>();
  for (const { label, count } of columns.flatMap(({ parts }) => parts)) sums.set(label, (sums.get(label) ?? 0) + count);
  return [...sums].flatMap(([name, sum]) => (sum > 0 ? [`${sum.toLocaleString("en")} ${name}`] : [])).join(", ");
}
