import type { Command } from "commander";
import type { RequestRowView } from "../api/client-types.ts";
import { WorldError } from "../base/errors.ts";
import type { Config } from "../config/settings.ts";
import { type KnownRequest, type NextStep, type SpoolRow, spoolReport } from "../housekeeping/report.ts";
import { measureSpool } from "../housekeeping/usage.ts";
import type { Client } from "./client.ts";
import { isProcess } from "./demo/place.ts";
import { clientFor, runningServer } from "./reach.ts";
import { type GlobalOptions, optionsOf, settingsFrom } from "./settings.ts";
import { type Paint, paintFor, print, printJson, talk, widthOf } from "./terminal.ts";
import { table } from "./view/table.ts";
import { bytes, count, duration, secondsSince, thousands } from "./view/text.ts";

export function addSpool(program: Command): void {
  program
    .command("spool")
    .description("what takes the space of submit directories, and when it will be tidied")
    .option("--json", "as JSON")
    .addHelpText(
      "after",
      `
Reads the disk of this machine; with a server running, says also what becomes of what it finds. Submit directories
of finished requests are compacted after housekeeping.compact_after_hours and removed after
housekeeping.remove_after_days (docs/guides/housekeeping.md).`,
    )
    .action(async (_options: unknown, command: Command) => {
      const options = optionsOf<{ json?: boolean }>(command);
      const { config } = settingsFrom(options);
      const usage = await measureSpool(config.spool_dir, config.storage_dir);
      const known = isServed(options, config.data_dir) ? await askServer(clientFor(options)) : null;
      const rows = spoolReport(usage, known, keepPolicy(config));
      if (options.json) {
        const { spool_dir, storage_dir } = config;
        return printJson({ spool_dir, storage_dir, server: known !== null, total: totals(rows), items: rows });
      }
      if (rows.length === 0) return talk(`nothing is in ${config.spool_dir}`);
      const look = { now: new Date(), width: widthOf(process.stdout), paint: paintFor(process.stdout) };
      print(spoolTable(rows, look));
      if (known === null) talk("no server answered, so nobody knows what is finished");
    });
}

const keepPolicy = (config: Config) => ({
  compactAfterHours: config["housekeeping.compact_after_hours"],
  removeAfterDays: config["housekeeping.remove_after_days"],
});

/** Without a server of its own, a data directory must not be judged by whoever listens at the usual port. */
function isServed(options: GlobalOptions, dataDir: string): boolean {
  const running = runningServer(dataDir);
  const named = options.server ?? process.env.WMS2_SERVER;
  return named !== undefined || (running !== null && isProcess(running.pid));
}

/** null: there is none to ask, which is no error here. */
async function askServer(client: Client): Promise<ReadonlyMap<string, KnownRequest> | null> {
  try {
    const { items } = await client.all<RequestRowView>("/requests", {});
    return new Map(
      items.map(({ request_name, status, status_since }) => [
        request_name,
        { status, statusSince: new Date(status_since) },
      ]),
    );
  } catch (error) {
    if (error instanceof WorldError && error.code === "server-unreachable") return null;
    throw error;
  }
}

const totals = (rows: readonly SpoolRow[]) => ({
  requests: rows.length,
  files: sum(rows, "files"),
  bytes: sum(rows, "bytes"),
  unmerged_files: sum(rows, "unmerged_files"),
  unmerged_bytes: sum(rows, "unmerged_bytes"),
});
const sum = (rows: readonly SpoolRow[], key: "files" | "bytes" | "unmerged_files" | "unmerged_bytes"): number =>
  rows.reduce((all, row) => all + row[key], 0);

export function spoolTable(
  rows: readonly SpoolRow[],
  { now, width, paint }: { now: Date; width: number; paint: Paint },
): string {
  const columns = [
    { head: "request", flexible: true },
    { head: "status" },
    { head: "since", align: "right" },
    { head: "dirs", align: "right" },
    { head: "files", align: "right" },
    { head: "spool", align: "right" },
    { head: "unmerged", align: "right" },
    { head: "next" },
  ] as const;
  const lines = rows.map((row) => [
    row.request_name,
    row.status ?? "-",
    row.status_since === null ? "-" : duration(secondsSince(row.status_since, now)),
    row.compacted > 0 ? `${row.directories} (${row.compacted} compact)` : String(row.directories),
    thousands(row.files + row.unmerged_files),
    bytes(row.bytes),
    row.unmerged_bytes === 0 ? "-" : bytes(row.unmerged_bytes),
    nextWords(row.next, now, paint),
  ]);
  const all = totals(rows);
  const foot = `${count(all.requests, "request")}, ${thousands(all.files + all.unmerged_files)} files, ${bytes(all.bytes)} in the spool, ${bytes(all.unmerged_bytes)} unmerged`;
  return `${table(columns, lines, { width, paint })}\n\n${foot}`;
}

function nextWords({ action, at }: NextStep, now: Date, paint: Paint): string {
  if (action === "stranger") return paint.red("unknown to the server");
  if (action === "unknown" || action === "keep") return action === "keep" ? "kept" : "-";
  const wait = -secondsSince(at ?? now.toISOString(), now);
  return wait <= 0 ? paint.yellow(`${action}: due`) : `${action} in ${duration(wait)}`;
}
