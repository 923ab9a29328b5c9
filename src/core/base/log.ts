/** Structured events with stable names. */
export interface Log {
  info(event: string, detail: Record<string, unknown>): void;
  warn(event: string, detail: Record<string, unknown>): void;
  error(event: string, detail: Record<string, unknown>): void;
}
