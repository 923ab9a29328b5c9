import { once } from "node:events";
import { WorldError } from "../core/base/errors.ts";
import { plainJson } from "../core/base/plain-text.ts";
import type { ResultPageView, ResultView } from "../operations/results.ts";
import type { Client } from "./client.ts";
import { aRequest, command } from "./command.ts";
import { wholeNumber } from "./option-values.ts";
import { lookAt, print, talk } from "./terminal.ts";
import { CSV_HEAD, csvLine, RESULTS } from "./view/result-table.ts";
import { table } from "./view/table.ts";
import { count } from "./view/text.ts";

const IN_A_TABLE = 200;
const PER_PAGE = 5000;

export const addResults = command("results", {
  about: "every job of the present round: how it ended, what it used of what it asked for, where",
  arguments: { "<name>": aRequest("the request") },
  options: {
    "--failed": "only those that failed, and those that cannot run because of them",
    "--sort <by>": { about: "the most first; by name: alphabetically", choices: ["wall", "cpu", "memory", "name"] },
    "--csv": "all of it for a spreadsheet; text that would be a formula begins with '",
    "--limit <number>": { about: "at most so many (default: 200 in a table, else all)", parse: wholeNumber },
  },
  json: "all of it as JSON",
  examples: [
    "wms2 results sweep-2026",
    "wms2 results sweep-2026 --failed",
    "wms2 results sweep-2026 --sort memory --limit 10",
    "wms2 results sweep-2026 --csv > sweep.csv",
    "wms2 results sweep-2026 --json | jq '.items[] | select(.attempts > 1) | .name'",
  ],
  async run({ client, options: { failed, sort, csv, json, limit } }, name: string) {
    if (csv && json) throw new WorldError("bad-usage", name, "--csv or --json, not both");
    const most = limit ?? (csv || json ? Number.POSITIVE_INFINITY : IN_A_TABLE);
    const found = new Found(client, { name, failed: failed === true, most, sort: sort as SortKey | undefined });
    if (csv) await write(csvLines(found.rows()));
    else if (json) await write(jsonPieces(found));
    else await tellTable(found, name, failed === true);
  },
});

type SortKey = keyof typeof SORTS;
const most = (key: "wall_sec" | "cpu_sec" | "peak_memory_mb") => (a: ResultView, b: ResultView) =>
  (b[key] ?? -1) - (a[key] ?? -1);
const SORTS = {
  wall: most("wall_sec"),
  cpu: most("cpu_sec"),
  memory: most("peak_memory_mb"),
  name: (a: ResultView, b: ResultView) => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0),
};

interface Wanted {
  readonly name: string;
  readonly failed: boolean;
  readonly most: number;
  readonly sort: SortKey | undefined;
}

/** Rows as they come, page by page; only what is sorted has to be there as a whole. */
class Found {
  /** The last page, without its rows. */
  last: Omit<ResultPageView, "items"> | null = null;
  /** There are more than were wanted. */
  more = false;
  readonly #client: Client;
  readonly #wanted: Wanted;

  constructor(client: Client, wanted: Wanted) {
    this.#client = client;
    this.#wanted = wanted;
  }

  async *rows(): AsyncGenerator<ResultView> {
    const { sort, most } = this.#wanted;
    let given = 0;
    for await (const row of sort ? this.#sorted(sort) : this.#all()) {
      if (given >= most) {
        this.more = true;
        return;
      }
      given += 1;
      yield row;
    }
  }

  async *#all(): AsyncGenerator<ResultView> {
    const { name, failed, most, sort } = this.#wanted;
    const limit = sort ? PER_PAGE : Math.min(PER_PAGE, most);
    for await (const { items, ...page } of resultPages(this.#client, { name, failed, limit })) {
      this.last = page;
      yield* items;
    }
  }

  async *#sorted(sort: SortKey): AsyncGenerator<ResultView> {
    const rows: ResultView[] = [];
    for await (const row of this.#all()) rows.push(row);
    yield* rows.sort(SORTS[sort]);
  }
}

/** All pages, one after the other. */
export async function* resultPages(
  client: Client,
  wanted: { readonly name: string; readonly failed?: boolean; readonly limit?: number },
): AsyncGenerator<ResultPageView> {
  for (let cursor: string | undefined; ; ) {
    const page = await client.results.list({ limit: PER_PAGE, ...wanted, ...(cursor !== undefined && { cursor }) });
    yield page;
    if (page.next_cursor === null) return;
    cursor = page.next_cursor;
  }
}

async function tellTable(found: Found, name: string, onlyFailed: boolean): Promise<void> {
  const rows: ResultView[] = [];
  for await (const row of found.rows()) rows.push(row);
  if (rows.length > 0) print(table(RESULTS, rows, lookAt(process.stdout)));
  const { credited = 0, gone = false, round = null } = found.last ?? {};
  const nothing = onlyFailed ? "nothing failed" : round === null ? `${name} has no run yet` : "no jobs";
  const notes = [
    ...(gone ? ["its submit directory is no more"] : rows.length === 0 ? [nothing] : []),
    ...(found.more ? [`the first ${rows.length}; --limit shows more, --csv all`] : []),
    ...(credited > 0 ? [`${count(credited, "job")} done by an earlier version, not listed`] : []),
  ];
  if (notes.length > 0) talk(notes.join("\n"));
}

async function* csvLines(rows: AsyncIterable<ResultView>): AsyncGenerator<string> {
  yield CSV_HEAD;
  for await (const row of rows) yield csvLine(row);
}

async function* jsonPieces(found: Found): AsyncGenerator<string> {
  let before = '{"items":[\n';
  for await (const row of found.rows()) {
    yield `${before}${plainJson(JSON.stringify(row))}`;
    before = ",\n";
  }
  const { round = null, credited = 0, live = false, gone = false } = found.last ?? {};
  const rest = JSON.stringify({ round, credited, live, gone, more: found.more }).slice(1);
  yield `${before.startsWith("{") ? before : "\n"}],${rest}\n`;
}

/** In pieces that are neither many nor large, at the pace of who reads. */
async function write(pieces: AsyncIterable<string>): Promise<void> {
  let waiting = "";
  const flush = async () => {
    const isFull = !process.stdout.write(waiting);
    waiting = "";
    if (isFull) await once(process.stdout, "drain");
  };
  for await (const piece of pieces) {
    waiting += piece;
    if (waiting.length > 65_536) await flush();
  }
  if (waiting) process.stdout.write(waiting);
}
