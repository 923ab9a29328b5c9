import { Form } from "../../../intake/reading/form.ts";
import { Notes } from "../../../intake/reading/notes.ts";
import type { Row } from "../../../intake/reading/values.ts";
import { MAX_JOBS } from "../limits.ts";

/** A document of another system in our own form. */
export interface Translation {
  readonly document: Row;
  /** Which system it is from, for people. */
  readonly from: string;
  /** Where in their document stands what ours has here. */
  pathOf(path: string): string;
}

/** `places`: where maps and lists of ours stand in theirs; `keys`: what they call a key of ours, the rest of its path left out. */
export function pathFinder(
  places: ReadonlyMap<string, string>,
  keys: Readonly<Record<string, string>>,
): Translation["pathOf"] {
  const renamed = (rest: string): string => {
    const [, key = "", more = ""] = /^\.?([\w-]*)(.*)$/.exec(rest) ?? [];
    return Object.hasOwn(keys, key)
      ? `.${keys[key]}`
      : rest === ""
        ? ""
        : `${rest.startsWith(".") ? "." : ""}${key}${more}`;
  };
  return (path) => {
    for (let end = path.length; end > 0; ) {
      const place = places.get(path.slice(0, end));
      if (place !== undefined) return `${place}${renamed(path.slice(end))}`;
      end = Math.max(path.lastIndexOf(".", end - 1), path.lastIndexOf("[", end - 1));
    }
    return path;
  };
}

/** The maps of a list. */
export const mapsIn = (form: Form, key: string, max = MAX_JOBS): readonly Form[] =>
  form.list(key, max).flatMap((spot) => Form.at(spot, "a map of keys", null) ?? []);

/** What a reader of the translation has to say, under the paths of the document it was made from. */
export class TranslatedNotes extends Notes {
  readonly #pathOf: Translation["pathOf"];

  constructor(before: Notes, pathOf: Translation["pathOf"]) {
    super();
    this.#pathOf = (path) => path;
    for (const { path, message, allowed } of before.problems) this.problem(path, message, allowed);
    for (const warning of before.warnings) this.warn("", warning);
    this.files.push(...before.files);
    this.#pathOf = pathOf;
  }

  override problem(path: string, message: string, allowed: string | null = null): void {
    super.problem(this.#pathOf(path), message, allowed);
  }

  override warn(path: string, message: string): void {
    super.warn(path === "" ? "" : this.#pathOf(path), message);
  }
}
