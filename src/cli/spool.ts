import { section } from "../config/settings.ts";
import { WorldError } from "../core/base/errors.ts";
import {
  type KnownRequest,
  type NextStep,
  type SpoolRow,
  spoolReport,
} from "../operations/upkeep/housekeeping/report.ts";
import { measureSpool } from "../operations/upkeep/housekeeping/usage.ts";
import { allOf, type Client } from "./client.ts";
import { command } from "./command.ts";
import { clientFor, liveServer, namedServer } from "./reach.ts";
import { settingsFrom } from "./settings.ts";
import type { Look } from "./terminal.ts";
import { type Columns, table } from "./view/table.ts";
import { bytes, count, duration, secondsSince, thousands } from "./view/text.ts";

export const addSpool = command("spool", {
  about: "what fills the disk with submit directories, and when it will be cleaned up",
  more: `Reads the disk of this machine; with a server running, says also what becomes of what it finds. Submit directories
of finished requests are compacted after housekeeping.compact_after_hours and removed after
housekeeping.remove_after_days (docs/guides/housekeeping.md).`,
  examples: ["wms2 spool", "wms2 spool --json | jq .total"],
  async run({ options }) {
    const { config } = settingsFrom(options);
    const { spool_dir, storage_dir } = config;
    const usage = await measureSpool(spool_dir, storage_dir);
    // Without a server of its own, a data directory must not be compared with whoever listens at the usual port.
    const served = namedServer(options) !== undefined || liveServer(config.data_dir) !== null;
    const known = served ? await askServer(clientFor(options)) : null;
    const items = spoolReport(usage, known, section(config, "housekeeping"));
    const unknown = known === null ? "no server answered, so it is not known what is finished" : "";
    return {
      json: { spool_dir, storage_dir, server: known !== null, total: totals(items), items },
      page: (look) => (items.length > 0 ? spoolTable(items, look) : ""),
      note: items.length > 0 ? unknown : `nothing is in ${spool_dir}`,
    };
  },
});

/** null: there is none to ask, which is no error here. */
async function askServer(client: Client): Promise<ReadonlyMap<string, KnownRequest> | null> {
  try {
    const { items } = await allOf(client.requests.list, {});
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

function totals(rows: readonly SpoolRow[]) {
  const sum = (key: "files" | "bytes" | "unmerged_files" | "unmerged_bytes") =>
    rows.reduce((all, row) => all + row[key], 0);
  return {
    requests: rows.length,
    files: sum("files"),
    bytes: sum("bytes"),
    unmerged_files: sum("unmerged_files"),
    unmerged_bytes: sum("unmerged_bytes"),
  };
}

const COLUMNS: Columns<SpoolRow> = [
  ["request", ({ request_name }) => request_name, "flexible"],
  ["status", ({ status }) => status ?? "-"],
  ["since", ({ status_since: at }, { now }) => (at === null ? "-" : duration(secondsSince(at, now))), "right"],
  ["dirs", ({ directories, compacted }) => `${directories}${compacted ? ` (${compacted} compact)` : ""}`, "right"],
  ["files", ({ files, unmerged_files }) => thousands(files + unmerged_files), "right"],
  ["spool", (row) => bytes(row.bytes), "right"],
  ["unmerged", ({ unmerged_bytes }) => (unmerged_bytes === 0 ? "-" : bytes(unmerged_bytes)), "right"],
  ["next", ({ next }, look) => nextText(next, look)],
];

export function spoolTable(rows: readonly SpoolRow[], look: Look): string {
  const all = totals(rows);
  const files = `${thousands(all.files + all.unmerged_files)} files`;
  const foot = `${count(all.requests, "request")}, ${files}, ${bytes(all.bytes)} in the spool, ${bytes(all.unmerged_bytes)} unmerged`;
  return `${table(COLUMNS, rows, look)}\n\n${foot}`;
}

function nextText({ action, at }: NextStep, { now, paint }: Look): string {
  if (action === "unknown-request") return paint.red("unknown to the server");
  if (action === "unknown" || action === "keep") return action === "keep" ? "kept" : "-";
  const wait = -secondsSince(at ?? now.toISOString(), now);
  return wait <= 0 ? paint.yellow(`${action}: due`) : `${action} in ${duration(wait)}`;
}
