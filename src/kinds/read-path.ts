import { shown } from "../intake/reading/notes.ts";
import type { Spot } from "../intake/reading/values.ts";

/** An absolute path on the machine of the server and its workers. */
export function readPath(spot: Spot): string | null {
  const text = spot.text();
  if (text === null || (text.startsWith("/") && text.trim() === text)) return text;
  const why = text.startsWith("~")
    ? "~ is not expanded"
    : text.trim() === text
      ? "is a relative path"
      : "begins or ends with a blank";
  const allowed = "an absolute path; `wms2 submit FILE` makes paths absolute, counted from where FILE lies";
  return spot.problem(`${why} (got ${shown(text)})`, allowed);
}
