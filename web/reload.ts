/** The code of a page is not here: the server is away, or has other files since an upgrade. */
export class PageNotFetched extends Error {
  override readonly name = "PageNotFetched";
}

interface Reload {
  readonly at: string;
  readonly time: number;
}

/** An installation may lack the file for good: then the same page is not loaded over and over. */
const PAUSE_MS = 60_000;
export const mayReload = (last: Reload | null, at: string, now: number): boolean =>
  last === null || last.at !== at || Math.abs(now - last.time) > PAUSE_MS;

const KEY = "wms2-reload";

export function readLastReload(): Reload | null {
  try {
    return JSON.parse(sessionStorage.getItem(KEY) ?? "null");
  } catch {
    return null; // no storage, or somebody else's words in it
  }
}

export function writeLastReload(reload: Reload): void {
  try {
    sessionStorage.setItem(KEY, JSON.stringify(reload));
  } catch {
    // without storage it is only tried more often
  }
}
