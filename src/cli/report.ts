import { renameSync, rmSync, writeFileSync } from "node:fs";
import { resolve } from "node:path";
import { WorldError } from "../core/base/errors.ts";
import type { Client } from "./client.ts";
import { aRequest, command } from "./command.ts";
import { attemptsOf } from "./nodes.ts";
import { documentText } from "./report/document.ts";
import type { ReportFacts } from "./report/facts.ts";
import { reportPage } from "./report/page.ts";
import { resultPages } from "./results.ts";
import { bytes } from "./view/text.ts";

/** More than these make no better page. */
const MOST_RESULTS = 100_000;
const MOST_ATTEMPTS = 20_000;

export const addReport = command("report", {
  about: "a page about a request to send to a colleague: graph, timeline, resources, failures, the request itself",
  arguments: { "<name>": aRequest("the request") },
  options: {
    "--html": "one HTML file that needs no network and no script",
    "--out <file>": "write it there instead of to stdout",
  },
  json: "what the page is made of, as JSON",
  examples: [
    "wms2 report sweep-2026 --html --out sweep.html",
    "wms2 report sweep-2026 --html > sweep.html",
    "wms2 report sweep-2026 --json | jq .errors.first",
  ],
  more: "The page holds names, hosts, ends of logs, commands and variables of the request: check it before you share it.",
  async run({ client, options: { html, out, json } }, name: string) {
    if (!html && !json)
      throw new WorldError("bad-usage", name, "say what the report is to be", {
        hint: `wms2 report ${name} --html --out ${name}.html`,
      });
    const facts = await gatherReport(client, name);
    if (json) return { json: facts };
    const page = reportPage(facts);
    if (out === undefined) return { json: null, page: () => page };
    replace(out, page);
    return { json: null, note: `${resolve(out)}: ${bytes(Buffer.byteLength(page))}` };
  },
});

async function gatherReport(client: Client, name: string): Promise<ReportFacts> {
  const [request, errors, { graph }, attempts] = await Promise.all([
    client.requests.show({ name }),
    client.attempts.errors({ name }),
    client.results.graph({ name }),
    attemptsOf(client, name, {}, MOST_ATTEMPTS),
  ]);
  const results: ReportFacts["results"][number][] = [];
  let [credited, isCut] = [0, attempts.next_cursor !== null];
  for await (const page of resultPages(client, { name })) {
    credited = page.credited;
    for (const row of page.items) results.push(row);
    isCut ||= page.next_cursor !== null && results.length >= MOST_RESULTS;
    if (isCut && results.length >= MOST_RESULTS) break;
  }
  return {
    now: new Date(),
    server: client.url,
    request,
    errors,
    graph,
    results,
    credited,
    attempts: attempts.items,
    isCut,
    document: documentText(request),
  };
}

/** Whole or not at all. */
function replace(file: string, text: string): void {
  const temporary = `${file}.${process.pid}.tmp`;
  try {
    writeFileSync(temporary, text);
    renameSync(temporary, file);
  } catch (error) {
    rmSync(temporary, { force: true });
    throw new WorldError("bad-usage", file, `${file} cannot be written`, { cause: error });
  }
}
