import type { Form } from "../../../intake/reading/form.ts";
import type { Spot } from "../../../intake/reading/values.ts";
import { globFor, globOf } from "./torc-patterns.ts";
import type { NamedTexts } from "./torc-tables.ts";
import { escaped, ONE_ROW, ownText, type Rows, varies } from "./torc-texts.ts";
import type { TorcWorld } from "./torc-world.ts";

const REFERENCE = /\$\{((?:files|user_data)\.(?:input|output))\.((?:[^{}]|\{[^{}]*\})+)\}/g;
type Sort = "files.input" | "files.output" | "user_data.input" | "user_data.output";

/** What one job names: files, user data, jobs before it. All answers are texts of ours. */
export class TorcReferences {
  /** One text with parameters cannot say it for all rows: the answers are of no use, and each row is to be asked for its own. */
  needsRows = false;
  readonly #form: Form;
  readonly #rows: Rows;
  readonly #world: TorcWorld;
  /** In the command. */
  readonly #named = new Map<Sort, string[]>();

  constructor(form: Form, rows: Rows, world: TorcWorld) {
    this.#form = form;
    this.#rows = rows;
    this.#world = world;
  }

  /** `${files.input.NAME}` is the path of a file, `${user_data.input.NAME}` the data as JSON. To be asked first. */
  command(text: string): string {
    const { files, userData } = this.#world;
    const spot = this.#form.spot("command");
    let own = "";
    let at = 0;
    for (const { 0: all, 1: sort, 2: name, index } of text.matchAll(REFERENCE)) {
      this.#named.set(sort as Sort, [...(this.#named.get(sort as Sort) ?? []), name!]);
      own += ownText(text.slice(at, index), this.#rows.columns);
      own += this.#find(sort!.startsWith("files") ? files : userData, name!, spot!);
      at = index + all.length;
    }
    return own + ownText(text.slice(at), this.#rows.columns);
  }

  /** Paths. What the command names stands instead of the list, as in Torc. */
  files(side: "input" | "output"): readonly string[] {
    const { files } = this.#world;
    const paths = this.#listed(`files.${side}`, `${side}_files`).map(([name, spot]) => this.#find(files, name, spot));
    const matched = this.#form
      .list(`${side}_file_regexes`)
      .flatMap((spot) => this.#search(spot, () => files.names).map((name) => files.find(name, ONE_ROW, spot) ?? ""));
    return [...paths, ...matched];
  }

  /** Jobs that write the user data this one needs. */
  writers(): readonly string[] {
    const { writers, userData } = this.#world;
    this.#form.knows("output_user_data", "output_user_data_regexes");
    const needed = this.#listed("user_data.input", "input_user_data");
    for (const [name, spot] of needed) this.#find(userData, name, spot);
    const jobs = needed
      .filter(([name]) => varies(name, this.#rows.columns) || writers.has(name))
      .map(([name, spot]) => this.#find(writers, name, spot));
    const matched = this.#form.list("input_user_data_regexes").flatMap((spot) =>
      this.#search(spot, () => userData.names)
        .filter((name) => writers.has(name))
        .map((name) => writers.find(name, ONE_ROW, spot) ?? ""),
    );
    return [...jobs, ...matched];
  }

  /** Names and globs of jobs. */
  before(): readonly string[] {
    const named = this.#form.list("depends_on").map(({ value }) => ownText(String(value), this.#rows.columns));
    const matching = this.#form.list("depends_on_regexes").flatMap((spot) => {
      const glob = globOf(String(spot.value), this.#rows.columns);
      if (glob !== null) return ownText(glob, this.#rows.columns);
      const found = this.#search(spot, () => this.#world.jobNames());
      return globFor(found, this.#world.jobNames()).map(escaped);
    });
    return [...named, ...matching];
  }

  #listed(sort: Sort, key: string): readonly (readonly [string, Spot])[] {
    const listed = this.#form.list(key).map((spot) => [String(spot.value), spot] as const);
    const command = this.#form.spot("command");
    const named = this.#named.get(sort);
    if (named === undefined || command === null) return listed;
    const dropped = listed.map(([name]) => name).filter((name) => !named.includes(name));
    if (dropped.length > 0)
      this.#form.warn(key, `${dropped.join(", ")}: the command names others, which count instead, as in Torc`);
    return named.map((name) => [name, command]);
  }

  #search(spot: Spot, names: () => readonly string[]): readonly string[] {
    const pattern = String(spot.value);
    if (!varies(pattern, this.#rows.columns)) return this.#world.search.find(pattern, names(), spot);
    this.needsRows = true;
    return [];
  }

  #find(table: NamedTexts, name: string, spot: Spot): string {
    const text = table.find(name, this.#rows, spot);
    if (text === null) this.needsRows = true;
    return text ?? "";
  }
}
