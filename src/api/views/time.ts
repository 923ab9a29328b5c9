export const isoOrNull = (at: Date | null): string | null => at?.toISOString() ?? null;
