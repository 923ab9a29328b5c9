import { expect, test } from "vitest";
import { WorldError } from "../../src/core/base/errors.ts";
import { generation, makeWorld } from "../support/world.ts";

test("a disk that stays full holds the request, with the path", async () => {
  const world = await makeWorld();
  const name = await world.submit(generation("gen", 2));
  const full = async () => {
    throw new WorldError("disk-unwritable", "/spool", "the disk is full: /spool");
  };
  (world.ports as { spool: typeof world.ports.spool }).spool = { ...world.ports.spool, write: full };
  for (let i = 0; i < 3; i += 1) await world.pass();
  await world.expectStatus(name, "planning");
  world.wait(60);
  await world.pass();
  await world.expectStatus(name, "held");
  expect((await world.request(name)).hold).toMatchObject({
    code: "disk-unwritable",
    message: "the disk is full: /spool",
    evidence: { subject: "/spool" },
  });
});

test("what the system says of a full disk is never called a bug", async () => {
  const world = await makeWorld();
  const name = await world.submit(generation("gen", 2));
  const full = async () => {
    throw Object.assign(new Error("ENOSPC: no space left on device"), { code: "ENOSPC", path: "/spool/gen" });
  };
  (world.ports as { spool: typeof world.ports.spool }).spool = { ...world.ports.spool, write: full };
  await world.pass();
  expect((await world.request(name)).error).toMatchObject({
    code: "disk-unwritable",
    message: expect.stringMatching(/^the disk is full: \/spool\/gen/),
  });
});

test.each<[string, (world: Awaited<ReturnType<typeof makeWorld>>, isFull: boolean) => void, RegExp]>([
  [
    "as the server sees it",
    ({ ports }, isFull) => {
      const trouble = async () =>
        isFull ? new WorldError("disk-unwritable", "/spool", "the disk is full: /spool") : null;
      (ports as { spool: typeof ports.spool }).spool = { ...ports.spool, trouble };
    },
    /the disk is full: \/spool/,
  ],
  [
    "as POST sees it",
    ({ engine }, isFull) => {
      const trouble = "cannot append to ledger.jsonl: ENOSPC";
      engine.waits = isFull ? { checking: { nodes: 1, trouble, example: "mg_000001/proc_000003" } } : {};
    },
    /mg_000001\/proc_000003 cannot be checked: cannot append .*ENOSPC \(in .*\/mg_000001\)/,
  ],
])(
  "a disk that fills up while jobs run, %s: held within two minutes, goes on when there is space",
  async (_, fill, words) => {
    const world = await makeWorld();
    const name = await world.submit(generation("gen", 2));
    await world.pass();
    await world.expectStatus(name, "active");
    world.engine.finish(world.storageDir, 1);
    await world.pass();
    fill(world, true);
    let waitedSec = 0;
    for (; waitedSec < 120 && (await world.request(name)).status !== "held"; waitedSec += 5) {
      world.wait(5);
      await world.pass();
    }
    expect(waitedSec).toBeLessThan(120);
    expect((await world.request(name)).hold).toMatchObject({
      code: "disk-unwritable",
      message: expect.stringMatching(words),
    });
    fill(world, false);
    const by = { actor: "ann", version: null, dryRun: false };
    await world.commands.act(name, { action: "release", reason: "there is space again" }, by);
    await world.pass();
    await world.pass();
    await world.expectStatus(name, "active");
    // The end of a job may have been lost on the full disk: the run is taken out, and only what is not done runs again.
    expect(world.moves).toContain("held → stopping");
    expect(world.engine.submitted.map(({ toRun }) => toRun.length)).toEqual([2, 1]);
    world.engine.finish(world.storageDir);
    await world.pass();
    await world.expectStatus(name, "completed");
  },
);

test("while a disk is full nothing is begun, and the queue says why; a short time of it holds nobody", async () => {
  const world = await makeWorld();
  const { spool } = world.ports;
  const trouble = async () => new WorldError("disk-unwritable", "/spool", "the disk is full: /spool");
  (world.ports as { spool: typeof spool }).spool = { ...spool, trouble };
  const name = await world.submit(generation("gen", 2));
  for (let i = 0; i < 3; i += 1) {
    world.wait(60);
    await world.pass();
  }
  await world.expectStatus(name, "queued");
  expect((await world.request(name)).waiting?.reason).toContain("the disk is full: /spool");
  (world.ports as { spool: typeof spool }).spool = spool;
  await world.pass();
  await world.expectStatus(name, "active");
});
