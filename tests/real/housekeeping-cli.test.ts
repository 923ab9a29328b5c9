import { mkdirSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { join } from "node:path";
import { Command } from "commander";
import { afterEach, expect, onTestFinished, test, vi } from "vitest";
import { addSpool, spoolTable } from "../../src/cli/spool.ts";
import { plain } from "../../src/cli/terminal.ts";
import { tempDir } from "../support/temp-dir.ts";

afterEach(() => vi.restoreAllMocks());

async function run(...words: string[]): Promise<{ out: string; err: string }> {
  const said = { out: "", err: "" };
  const keep = (stream: "out" | "err") => (text: string | Uint8Array) => {
    said[stream] += String(text);
    return true;
  };
  vi.spyOn(process.stdout, "write").mockImplementation(keep("out"));
  vi.spyOn(process.stderr, "write").mockImplementation(keep("err"));
  const program = new Command("wms2").option("--data-dir <dir>").option("--server <url>").exitOverride();
  addSpool(program);
  await program.parseAsync(["node", "wms2", ...words]);
  vi.restoreAllMocks();
  return said;
}

function makeData(): string {
  const dir = tempDir("spool-cli");
  for (const [path, size] of [
    ["spool/big/r0-00000001/plan.json", 5000],
    ["spool/big/r1-00000002/plan.json", 7000],
    ["spool/small/r0-00000003/compacted.json", 10],
    ["spool/lost/r0-00000004/plan.json", 1],
    ["storage/unmerged/big/mg_000000/a", 300],
  ] as const) {
    mkdirSync(join(dir, path, ".."), { recursive: true });
    writeFileSync(join(dir, path), "x".repeat(size));
  }
  return dir;
}

test("without a server it tells what is on the disk", async () => {
  const { out, err } = await run("--data-dir", makeData(), "spool", "--json");
  const answer = JSON.parse(out);
  expect(err).toBe("");
  expect(answer).toMatchObject({
    server: false,
    total: { requests: 3, files: 4, bytes: 12_011, unmerged_files: 1, unmerged_bytes: 300 },
  });
  expect(answer.items[0]).toMatchObject({
    request_name: "big",
    status: null,
    directories: 2,
    next: { action: "unknown", at: null },
  });
  expect((await run("--data-dir", tempDir("empty"), "spool")).err).toContain("nothing is in");
});

test("with a server it tells also what will become of it", async () => {
  const row = (request_name: string, status: string, hoursAgo: number) => ({
    request_name,
    status,
    status_since: new Date(Date.now() - hoursAgo * 3_600_000).toISOString(),
  });
  const items = [row("big", "completed", 20), row("small", "aborted", 800)];
  const server = createServer((_, reply) => reply.end(JSON.stringify({ items, next_cursor: null })));
  await new Promise<void>((resume) => server.listen(0, "127.0.0.1", resume));
  onTestFinished(() => void server.close());
  const address = server.address();
  const url = `http://127.0.0.1:${typeof address === "object" && address ? address.port : 0}`;
  const { out } = await run("--data-dir", makeData(), "--server", url, "spool");
  expect(out).toMatch(/big +completed +20 h +2 +3 +12 kB +300 B +compact in (4 h|3 h 59 min)/);
  expect(out).toMatch(/small +aborted +33 d 8 h +1 \(1 compact\) +1 +10 B +- +remove: due/);
  expect(out).toMatch(/lost +- .*unknown to the server/);
});

test("the table fits its width", () => {
  const row = {
    request_name: "a-rather-long-name-of-a-request-that-nobody-would-type",
    status: "completed",
    status_since: "2026-01-01T00:00:00Z",
    directories: 3,
    compacted: 0,
    files: 12_345,
    bytes: 9.9e9,
    unmerged_files: 0,
    unmerged_bytes: 0,
    next: { action: "remove", at: "2026-01-31T00:00:00Z" },
  } as const;
  const text = spoolTable([row], { now: new Date("2026-01-02T00:00:00Z"), width: 100, paint: plain });
  for (const line of text.split("\n")) expect(line.length).toBeLessThanOrEqual(100);
  expect(text).toContain("remove in 29 d");
});
