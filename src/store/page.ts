/** Which page of a list: at most `limit` items, after the place where the page before ended (opaque). */
export interface PageWanted {
  readonly limit: number;
  readonly cursor?: string;
}
export interface Page<T> {
  readonly items: readonly T[];
  /** null: this was the last page. */
  readonly nextCursor: string | null;
}
