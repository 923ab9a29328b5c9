import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { createInterface } from "node:readline";
import { afterEach, describe, expect, it, vi } from "vitest";
import { WorldError } from "../../src/core/base/errors.ts";
import type { RequestName, WorkflowId } from "../../src/core/names.ts";
import { openEmbedded } from "../../src/store/open.ts";
import type { Store } from "../../src/store/port.ts";
import { ensureBuilt } from "../support/built.ts";
import { at, sampleSpec, sampleWork } from "../support/store-fixtures.ts";
import { tempDir } from "../support/temp-dir.ts";

const dist = resolve(import.meta.dirname, "../../dist/src");
const W = "w-a" as WorkflowId;

describe("the embedded store", () => {
  afterEach(() => vi.unstubAllEnvs());

  it("keeps what was written, and is for one opener at a time", async () => {
    const dir = tempDir("store");
    const store = await openEmbedded(dir);
    await store.requests.create(sampleSpec("a"), "queued", [], "ada", at(0));
    await expect(openEmbedded(dir)).rejects.toMatchObject({ code: "store-locked" });
    await Promise.all([store.close(), store.close()]);
    await expect(store.ping()).rejects.toMatchObject({ code: "store-unreachable" });
    const again = await openEmbedded(dir);
    expect((await again.requests.get("a" as RequestName))?.spec).toStrictEqual(sampleSpec("a"));
    await again.close();
    expect(readdirSync(dir)).toEqual(["pgdata"]);
  });

  it("starts over from a database whose making was cut off, with a damaged cache or none", {
    timeout: 180_000,
  }, async () => {
    const cache = tempDir("cache");
    vi.stubEnv("XDG_CACHE_HOME", cache);
    const dir = tempDir("store");
    mkdirSync(join(dir, "pgdata.new/base"), { recursive: true });
    await (await openEmbedded(dir)).close();
    const [snapshot] = readdirSync(join(cache, "wms2"));
    writeFileSync(join(cache, "wms2", snapshot ?? ""), "rubbish");
    const store = await openEmbedded(join(dir, "second"));
    await store.ping();
    await store.close();
    expect(existsSync(join(dir, "pgdata.new"))).toBe(false);
  });

  it("of a running process is refused with its name; after kill -9 nothing acknowledged is lost", {
    timeout: 180_000,
  }, async () => {
    await ensureBuilt();
    const dir = tempDir("store");
    const store = await openEmbedded(dir);
    await sampleWork(store, "a");
    await store.close();

    const acknowledged = new Set<string>();
    for (let kill = 1; kill <= 3; kill++) {
      const writer = spawn(process.execPath, [join(import.meta.dirname, "../support/store-writer.mjs"), dist, dir], {
        stdio: ["ignore", "pipe", "inherit"],
      });
      const refused = await writeUntil(writer, acknowledged, acknowledged.size + 40, () => openEmbedded(dir));
      expect(refused).toBeInstanceOf(WorldError);
      expect(refused).toMatchObject({ code: "store-locked" });
      expect(String(refused)).toContain(`process ${writer.pid}`);
      expect(String(refused)).toContain("store-writer.mjs");
    }
    const reopened = await openEmbedded(dir);
    await expectAll(reopened, acknowledged);
    await reopened.close();
  });
});

/** Lets the writer write and kills it hard in the middle. Answers what an opener was told meanwhile. */
async function writeUntil(
  writer: ChildProcess,
  acknowledged: Set<string>,
  count: number,
  open: () => Promise<Store>,
): Promise<unknown> {
  let told: unknown = null;
  for await (const line of createInterface({ input: writer.stdout! })) {
    if (line === "open") {
      told = await open().then(
        () => null,
        (error: unknown) => error,
      );
    } else acknowledged.add(line);
    if (acknowledged.size === count && !writer.killed) writer.kill("SIGKILL");
  }
  if (writer.exitCode === null && writer.signalCode === null) await once(writer, "exit");
  return told;
}

async function expectAll(store: Store, acknowledged: ReadonlySet<string>): Promise<void> {
  const kept = await store.units.finishedNames(W);
  for (const name of acknowledged) expect(kept).toContain(name);
  const workflow = await store.workflows.get(W);
  expect(workflow).toMatchObject({ unitsDone: kept.size, eventsDone: BigInt(kept.size) * 10n });
  expect((await store.units.blocks(W))[0]?.unitsDone).toBe(kept.size);
}
