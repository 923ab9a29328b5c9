import { stringify } from "../../../core/base/json.ts";
import type { Form } from "../../../intake/reading/form.ts";
import type { Spot } from "../../../intake/reading/values.ts";
import type { TorcParameters } from "./torc-parameters.ts";
import { escaped, fill, ownText, type Room, type Rows, rowsOf, TOO_MUCH, varies } from "./torc-texts.ts";
import { mapsIn } from "./translation.ts";

/** Things with names, written out: files with their paths, user data with its text, who writes which user data. */
export class NamedTexts {
  readonly #texts = new Map<string, string>();
  readonly #patterns = new Map<string, string>();
  readonly #what: string;
  readonly #room: Room;

  constructor(what: string, room: Room) {
    this.#what = what;
    this.#room = room;
  }

  /** One of `rows` for each of its names. */
  add(name: string, text: string, rows: Rows, wrong: (why: string) => void): void {
    this.#patterns.set(name, text);
    if (!this.#room.has(name + text, rows)) {
      wrong(TOO_MUCH);
      return;
    }
    for (let row = 0; row < rows.count; row++) {
      const full = fill(name, rows, row);
      if (this.#texts.has(full)) wrong(`${JSON.stringify(full)} is there twice`);
      this.#texts.set(full, fill(text, rows, row));
    }
  }

  has(name: string): boolean {
    return this.#texts.has(name);
  }

  get names(): readonly string[] {
    return [...this.#texts.keys()];
  }

  /**
   * The text of what is named, in our form; undefined: there is no such thing, said at `spot`; null: it is a different one
   * in each row, and no text with parameters says which.
   */
  find(name: string, rows: Rows, spot: Spot): string | null | undefined {
    if (!varies(name, rows.columns)) {
      const text = this.#texts.get(name);
      return text === undefined ? this.#unknown(name, spot) : escaped(text);
    }
    const pattern = this.#patterns.get(name);
    if (!this.#room.has(name + (pattern ?? ""), rows)) {
      spot.problem(TOO_MUCH);
      return undefined;
    }
    for (let row = 0; row < rows.count; row++) {
      const full = fill(name, rows, row);
      const text = this.#texts.get(full);
      if (text === undefined) return this.#unknown(full, spot);
      if (pattern === undefined || text !== fill(pattern, rows, row)) return null;
    }
    return ownText(pattern!, rows.columns);
  }

  #unknown(name: string, spot: Spot): undefined {
    const some = this.names.slice(0, 5).join(", ");
    spot.problem(`${JSON.stringify(name)} is not one of the ${this.#what}`, some === "" ? null : some);
  }
}

export interface Tables {
  readonly files: NamedTexts;
  readonly userData: NamedTexts;
}

/** `files: [{name, path}]` and `user_data: [{name, data}]`, which take parameters as jobs do. */
export function readTables(top: Form, parameters: TorcParameters, room: Room): Tables {
  const tables: Tables = { files: new NamedTexts("files", room), userData: new NamedTexts("user_data", room) };
  const read = (key: string, into: NamedTexts, textOf: (form: Form) => string, known: string): void => {
    for (const form of mapsIn(top, key)) {
      const name = form.needed("name")?.text() ?? "";
      const rows = rowsOf(parameters.of(form).each);
      into.add(name, textOf(form), rows, (why) => form.problem("name", why));
      form.knows(...known.split(" "));
      form.close();
    }
  };
  read("files", tables.files, (form) => form.needed("path")?.text() ?? "", "identifier st_mtime");
  read("user_data", tables.userData, (form) => stringify(form.row.data ?? null), "data is_ephemeral");
  return tables;
}
