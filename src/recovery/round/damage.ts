/** A unit that cannot be run again: its directory, or a file in it, is gone, cut short or closed. */
export interface UnitDamage {
  readonly unit: string;
  /** What is wrong, and where. */
  readonly path: string;
  readonly why: string;
}

export function describeDamage(damaged: readonly UnitDamage[]): string {
  const [first, ...more] = damaged;
  if (!first) return "";
  const others = more.length === 0 ? "" : ` (and ${more.length} more)`;
  return `${first.unit} cannot be run from its directory: ${first.path}: ${first.why}${others}`;
}
