import { copyFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { RAW_DATASET } from "../../../lab/emulate/default-seed.ts";
import { type Emulated, startEmulators } from "../../../lab/emulate/index.ts";
import { freshDataset, servicesAt } from "../../../tests/support/cms-services.ts";
import { tempDir } from "../../../tests/support/temp-dir.ts";
import type { CmsServices, NewDbsFile } from "./services.ts";

let emulated: Emulated;
let cms: CmsServices;

beforeAll(async () => {
  emulated = await startEmulators({ dbsCallsPerSec: 1000 });
  cms = servicesAt(emulated);
});
afterEach(() => emulated.clearFaults());
afterAll(async () => {
  await cms.close();
  await emulated.close();
});

const DONE = { kind: "done", adopted: false };
const ADOPTED = { kind: "done", adopted: true };
const collected = async <T>(pieces: AsyncIterable<readonly T[]>): Promise<T[]> => {
  const all: T[] = [];
  for await (const piece of pieces) all.push(...piece);
  return all;
};
const callsOf = (path: RegExp) => emulated.calls().filter((call) => path.test(call.path));

test("all services answer; one that is away is named, the others go on", async () => {
  expect(await cms.ping()).toEqual({ reqmgr2: null, dbs: null, rucio: null, cric: null });
  emulated.outage("rucio", 1000);
  expect(await cms.ping()).toEqual({
    reqmgr2: null,
    dbs: null,
    rucio: expect.stringMatching(/Rucio: 127\.0\.0\.1.*cut/),
    cric: null,
  });
  emulated.outage("rucio", 0);
});

describe("DBS", () => {
  test("a dataset is read: blocks, files and lumis", async () => {
    expect(await cms.dbs.dataset(RAW_DATASET)).toMatchObject({ name: RAW_DATASET });
    expect(await cms.dbs.dataset("/No/Such-v1/RAW")).toBeNull();
    expect(await cms.dbs.dataset("no name at all")).toBeNull();
    const blocks = await cms.dbs.blocks(RAW_DATASET);
    expect(blocks).toHaveLength(2);
    const [first] = blocks;
    expect(await cms.dbs.block(first!.name)).toEqual(first);
    expect(await cms.dbs.block(`${RAW_DATASET}#none`)).toBeNull();
    const files = await collected(cms.dbs.files(first!.name));
    expect(files).toHaveLength(6);
    expect(files[0]).toEqual({ lfn: expect.stringMatching(/^\/store\//), sizeBytes: expect.any(Number), events: 100 });
    const lumis = await collected(cms.dbs.lumis(first!.name));
    expect(lumis).toHaveLength(24);
    expect(new Set(lumis.map(({ lfn }) => lfn))).toEqual(new Set(files.map(({ lfn }) => lfn)));
  });

  test("from nothing to a closed block, and all of it again", async () => {
    const { wanted, block, files } = freshDataset();
    for (const outcome of [DONE, ADOPTED]) {
      expect(await cms.dbs.ensureDataset(wanted)).toEqual(outcome);
      expect(await cms.dbs.openBlock(block, "T2_CH_Example")).toEqual(outcome);
      expect(await cms.dbs.addFiles(block, files)).toEqual(outcome);
    }
    expect(await cms.dbs.closeBlock(block, 2)).toMatchObject({ kind: "refused", code: "files-differ" });
    expect(await cms.dbs.closeBlock(block, 3)).toEqual(DONE);
    expect(await cms.dbs.closeBlock(block, 3)).toEqual(ADOPTED);
    expect(await cms.dbs.block(block)).toMatchObject({ files: 3, isOpen: false, sizeBytes: 3006 });
    const more = { ...files[0]!, lfn: files[0]!.lfn.replace("f1", "f9") };
    expect(await cms.dbs.addFiles(block, [more])).toMatchObject({ kind: "refused", code: "block-closed" });
    expect(await cms.dbs.addFiles(block, files)).toEqual(ADOPTED);
  });

  test("a file somebody registered otherwise is refused, and nothing of the call is written", async () => {
    const { wanted, block, files } = freshDataset();
    await cms.dbs.ensureDataset(wanted);
    await cms.dbs.openBlock(block, "T2_CH_Example");
    await cms.dbs.addFiles(block, files.slice(0, 1));
    const other = { ...files[0]!, sizeBytes: 7 };
    expect(await cms.dbs.addFiles(block, [files[1]!, other])).toMatchObject({
      kind: "refused",
      code: "file-differs",
      message: expect.stringMatching(/f1\.root is there already, registered by .* size 1001 \(ours: 7\)/),
    });
    expect(await cms.dbs.block(block)).toMatchObject({ files: 1 });
    const second = block.replace("6d5c", "7e5c");
    await cms.dbs.openBlock(second, "T2_CH_Example");
    expect(await cms.dbs.addFiles(second, files.slice(0, 1))).toMatchObject({ code: "file-differs" });
  });

  test("one file is invalidated, and only that one", async () => {
    const { wanted, block, files } = freshDataset();
    await cms.dbs.ensureDataset(wanted);
    await cms.dbs.openBlock(block, "T2_CH_Example");
    await cms.dbs.addFiles(block, files);
    expect(await cms.dbs.invalidateFile(files[0]!.lfn)).toEqual(DONE);
    expect((await collected(cms.dbs.files(block))).map(({ lfn }) => lfn)).toEqual(files.slice(1).map(({ lfn }) => lfn));
    const [raw] = await cms.dbs.blocks(RAW_DATASET);
    expect(await collected(cms.dbs.files(raw!.name))).toHaveLength(6);
  });

  test("what is missing there is named by code, with what helps", async () => {
    const { block, files, wanted } = freshDataset();
    expect(await cms.dbs.openBlock(block, "T2_CH_Example")).toMatchObject({ kind: "refused", fix: expect.any(String) });
    await cms.dbs.ensureDataset(wanted);
    await cms.dbs.openBlock(block, "T2_CH_Example");
    const orphan = { ...files[0]!, parents: ["/store/mc/Demo26/DemoGen/AODSIM/Test-v1/00000/nobody.root"] };
    expect(await cms.dbs.addFiles(block, [orphan])).toMatchObject({ kind: "refused" });
  });

  test.each(["lost-reply", "duplicate", "half", "refuse"] as const)(
    "%s while files are registered: once each",
    async (fault) => {
      const { wanted, block, files } = freshDataset();
      await cms.dbs.ensureDataset(wanted);
      await cms.dbs.openBlock(block, "T2_CH_Example");
      emulated.faults({ do: fault, service: "dbs", method: "POST", path: "^/files" });
      expect(await cms.dbs.addFiles(block, files)).toMatchObject({ kind: "done" });
      expect(await cms.dbs.closeBlock(block, 3)).toEqual(DONE);
    },
  );

  test("half a list of files is no list", async () => {
    const [block] = await cms.dbs.blocks(RAW_DATASET);
    for (const fault of ["half", "truncate"] as const) {
      emulated.faults({ do: fault, service: "dbs", path: "^/files" });
      await expect(collected(cms.dbs.files(block!.name))).rejects.toMatchObject({ code: "catalog-unreachable" });
      expect(await collected(cms.dbs.files(block!.name))).toHaveLength(6);
    }
  });
});

describe("Rucio", () => {
  const replicas = (files: readonly NewDbsFile[]) =>
    files.map(({ lfn, sizeBytes, adler32 }) => ({ lfn, sizeBytes, adler32 }));
  const ruleOn = (block: string, rseExpression = "T1_US_Example_Tape") => ({
    block,
    rseExpression,
    lifetimeSec: null,
    activity: "Production Output",
    comment: "WMS2",
  });

  test("replicas of a block say where each file is", async () => {
    const [block] = await cms.dbs.blocks(RAW_DATASET);
    const found = await collected(cms.rucio.replicas(block!.name));
    expect(found).toHaveLength(6);
    expect(found[0]!.rses).toEqual(expect.arrayContaining(["T1_US_Example_Disk", "T2_CH_Example"]));
    expect(await collected(cms.rucio.replicas("/No/Such-v1/RAW"))).toEqual([]);
  });

  test("a block with its files and a rule, all of it twice, and closed", async () => {
    const { dataset, block, files } = freshDataset();
    expect(await cms.rucio.ensureBlock(block)).toEqual(DONE);
    expect(await cms.rucio.ensureBlock(block)).toEqual(ADOPTED);
    for (let i = 0; i < 2; i += 1)
      expect(await cms.rucio.ensureInContainer(block, dataset)).toMatchObject({ kind: "done" });
    expect(await cms.rucio.addFiles(block, "T2_CH_Example", replicas(files))).toEqual(DONE);
    expect(await cms.rucio.addFiles(block, "T2_CH_Example", replicas(files))).toMatchObject({ kind: "done" });
    const found = await collected(cms.rucio.replicas(dataset));
    expect(found.map(({ rses }) => rses)).toEqual(files.map(() => ["T2_CH_Example"]));
    expect(await cms.rucio.closeBlock(block)).toEqual(DONE);
    expect(await cms.rucio.closeBlock(block)).toEqual(ADOPTED);
    const made = await cms.rucio.ensureRule(ruleOn(block));
    expect(made).toMatchObject({ ...DONE, id: expect.stringMatching(/^[0-9a-f]{32}$/) });
    expect(await cms.rucio.ensureRule(ruleOn(block))).toEqual({ ...made, adopted: true });
  });

  test("a tape rule is unlocked before it is deleted, and revived when it is wanted again", async () => {
    const { block, files } = freshDataset();
    await cms.rucio.ensureBlock(block);
    await cms.rucio.addFiles(block, "T2_CH_Example", replicas(files));
    const made = await cms.rucio.ensureRule(ruleOn(block));
    const { id } = made as { id: string };
    const expiry = () => (emulated.state()["rucio.rules"]![id] as { expires: number | null }).expires;
    expect(await cms.rucio.deleteRule(id)).toEqual(DONE);
    expect(expiry()).not.toBeNull();
    expect(await cms.rucio.ensureRule(ruleOn(block))).toEqual({ ...ADOPTED, id });
    expect(expiry()).toBeNull();
    expect(await cms.rucio.deleteRule("0".repeat(32))).toEqual(ADOPTED);
  });

  test("what Rucio refuses has its own name: no RSE, no such block, another size", async () => {
    const { block, files } = freshDataset();
    expect(await cms.rucio.ensureRule(ruleOn(block))).toMatchObject({ code: "DataIdentifierNotFound" });
    await cms.rucio.ensureBlock(block);
    expect(await cms.rucio.ensureRule(ruleOn(block, "T9_No_Where"))).toMatchObject({ code: "InvalidRSEExpression" });
    expect(await cms.rucio.addFiles(block, "T9_No_Where", replicas(files))).toMatchObject({ code: "RSENotFound" });
    await cms.rucio.addFiles(block, "T2_CH_Example", replicas(files));
    const other = replicas(files).map((file) => ({ ...file, sizeBytes: 7 }));
    expect(await cms.rucio.addFiles(block, "T2_DE_Example", other)).toMatchObject({ code: "FileConsistencyMismatch" });
  });

  test("an account without quota", async () => {
    const { block, files } = freshDataset();
    await cms.rucio.ensureBlock(block);
    await cms.rucio.addFiles(block, "T2_CH_Example", replicas(files));
    emulated.seed({ accounts: { wms2: { admin: true, limits: {} } } });
    const refused = await cms.rucio.ensureRule(ruleOn(block));
    emulated.seed({ accounts: { wms2: { admin: true, limits: { "*": null } } } });
    expect(refused).toMatchObject({ code: "InsufficientAccountLimit", fix: expect.stringContaining("quota") });
  });

  test("expressions become RSEs, or none", async () => {
    expect(await cms.rucio.rses("rse_type=TAPE")).toEqual(["T1_US_Example_Tape"]);
    expect(await cms.rucio.rses("T9_No_Where")).toEqual([]);
  });

  test("a token that ran out is renewed once, unseen by the caller", async () => {
    const before = callsOf(/auth\/x509/).length;
    emulated.faults({ do: "expired-token", service: "rucio" });
    expect(await cms.rucio.rses("rse_type=TAPE")).toHaveLength(1);
    expect(callsOf(/auth\/x509/).length).toBe(before + 1);
  });

  test("a rule whose answer was lost is not made twice", async () => {
    const { block, files } = freshDataset();
    await cms.rucio.ensureBlock(block);
    await cms.rucio.addFiles(block, "T2_CH_Example", replicas(files));
    emulated.faults({ do: "lost-reply", service: "rucio", method: "POST", path: "^/rules/" });
    expect(await cms.rucio.ensureRule(ruleOn(block))).toMatchObject(ADOPTED);
  });
});

test("a token is renewed before it ends", async () => {
  let now = Date.now();
  const later = servicesAt(emulated, { clock: { now: () => new Date(now) } });
  const asked = () => callsOf(/auth\/x509/).length;
  const before = asked();
  await later.rucio.rses("rse_type=TAPE");
  now += 50 * 60_000;
  await later.rucio.rses("rse_type=TAPE");
  expect(asked()).toBe(before + 1);
  now += 6 * 60_000;
  await Promise.all([later.rucio.rses("rse_type=TAPE"), later.rucio.rses("rse_type=DISK")]);
  expect(asked()).toBe(before + 2);
  await later.close();
});

test("CRIC: sites, and the storage each reads", async () => {
  expect(await cms.cric.sites()).toEqual(expect.arrayContaining(["T1_US_Example", "T2_CH_Example", "T2_DE_Example"]));
  expect(await cms.cric.storage()).toEqual(
    expect.arrayContaining([{ site: "T1_US_Example", rse: "T1_US_Example_Disk" }]),
  );
});

describe("ReqMgr2", () => {
  const NAME = "emulate_demo_ReReco_260715_101010_1235";

  test("requests by name and by filter, and their configuration", async () => {
    expect(await cms.reqmgr2.request(NAME)).toMatchObject({ RequestType: "ReReco" });
    expect(await cms.reqmgr2.request("nobody_at_all")).toBeNull();
    const filter = { status: "assigned", team: "wms2", campaigns: ["Demo26", "Other"] };
    expect(await cms.reqmgr2.names(filter)).toContain(NAME);
    expect(await cms.reqmgr2.names({ ...filter, team: "others" })).toEqual([]);
    expect(await cms.reqmgr2.configuration("emulated_rereco")).toContain("cms.Process");
    expect(await cms.reqmgr2.configuration("nothing")).toBeNull();
  });

  test("a status moves once; a lost answer is found out; what is no move is refused", async () => {
    expect(await cms.reqmgr2.setStatus(NAME, "completed")).toMatchObject({ kind: "refused", code: "1101" });
    expect(await cms.reqmgr2.setStatus(NAME, "staging")).toEqual(DONE);
    emulated.faults({ do: "lost-reply", service: "reqmgr2", method: "PUT" });
    await expect(cms.reqmgr2.setStatus(NAME, "staged")).rejects.toMatchObject({ code: "catalog-unreachable" });
    expect(await cms.reqmgr2.setStatus(NAME, "staged")).toEqual(ADOPTED);
  });
});

test("a proxy that runs out is told, and a new one is used at once", async () => {
  const path = join(tempDir("proxy"), "proxy.pem");
  copyFileSync(emulated.expiredProxyFile, path);
  const settings = { ...emulated.settings, "catalog.cms.proxy_file": path };
  const mine = servicesAt({ ...emulated, settings });
  const words = expect.stringMatching(/certificate/);
  await expect(mine.dbs.dataset(RAW_DATASET)).rejects.toMatchObject({ code: "catalog-unreachable", message: words });
  await expect(mine.rucio.rses("rse_type=TAPE")).rejects.toMatchObject({ code: "catalog-unreachable" });
  copyFileSync(emulated.proxyFile, path);
  expect(await mine.dbs.dataset(RAW_DATASET)).not.toBeNull();
  expect(await mine.rucio.rses("rse_type=TAPE")).toHaveLength(1);
  await mine.close();
});
