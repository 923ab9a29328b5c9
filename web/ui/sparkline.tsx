import type { ReactNode } from "react";

/** A line through the values, from the oldest to the newest; the text says its beginning, end and most. */
export function Sparkline({ values, label }: { values: readonly number[]; label: string }): ReactNode {
  if (values.length < 2) return null;
  const most = Math.max(...values, 1);
  const points = values.map((value, index) => `${(index / (values.length - 1)) * 100},${30 - (28 * value) / most}`);
  const text = `${label}: from ${values[0]} to ${values.at(-1)}, at most ${most}`;
  return (
    <svg className="spark live" viewBox="0 0 100 32" preserveAspectRatio="none" role="img" aria-label={text}>
      <polyline
        points={points.join(" ")}
        fill="none"
        stroke="currentColor"
        strokeWidth="1.5"
        vectorEffect="non-scaling-stroke"
      />
    </svg>
  );
}
