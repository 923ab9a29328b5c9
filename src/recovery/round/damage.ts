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

/** A rescue file that was cut or overwritten. */
export interface DamagedRescue {
  /** null: the workflow's own. */
  readonly unit: string | null;
  /** Relative to the submit directory. */
  readonly file: string;
  readonly why: string;
}

export function describeRescues(damaged: readonly DamagedRescue[]): string {
  const [first, ...more] = damaged;
  if (!first) return "";
  return `its rescue file ${first.file} is damaged: ${first.why}${more.length > 0 ? ` (and ${more.length} more)` : ""}`;
}
