import { rmSync } from "node:fs";
import { join } from "node:path";
import { expect } from "vitest";
import { eventually } from "./eventually.ts";
import { FailingRequest, outputs, PATIENCE_SEC } from "./failing-request.ts";
import type { ServerUnderTest } from "./server.ts";

/** The disk that holds the submit directories. */
interface Disk {
  readonly path: string;
  readonly fill: () => void;
  readonly empty: () => void;
}

/** The disk fills up when one unit is done and two are at work; then somebody makes space again. */
export async function fullDiskStory(server: ServerUnderTest, dir: string, disk: Disk): Promise<void> {
  const request = new FailingRequest(dir, "full-disk", 4);
  request.close();
  await server.submit(request.document({ throttles: { units: 2 } }));
  const done = await request.pass(1);
  await eventually("jobs run", () => request.runs().length >= 3, { deadlineSec: PATIENCE_SEC, everyMs: 100 });
  disk.fill();
  const atWork = request.atGate();
  request.heal();
  const held = await server.until("full-disk", ["held"], 120);
  expect(held.hold).toMatchObject({ code: "disk-unwritable", message: expect.stringContaining(disk.path) });
  disk.empty();
  await server.send("POST", "/requests/full-disk/release", { reason: "there is space again" });
  const moves = async (): Promise<{ from: string; to: string }[]> =>
    (await server.get("/requests/full-disk/transitions")).items;
  const isOver = (move: { from: string; to: string }) =>
    move.from === "stopping" || (move.from === "held" && move.to !== "stopping");
  await eventually("its run was stopped", async () => (await moves()).some(isOver), { deadlineSec: PATIENCE_SEC });
  const repeatable = request.begun().filter((index) => !done.has(index));
  await server.until("full-disk", ["completed"], PATIENCE_SEC);
  expect(await outputs(server, "full-disk")).toBe(4);
  expect(atWork).toHaveLength(2);
  // The ends of these could not be written down: of the two, and of a third that began before its run was stopped.
  request.expectOnceEach(repeatable);
}

/** A unit's directory vanishes before it runs: held by name, and its input is planned again. */
export async function lostUnitStory(server: ServerUnderTest, dir: string): Promise<void> {
  const request = new FailingRequest(dir, "lost-unit", 4);
  request.close();
  await server.submit(request.document({ throttles: { units: 1 } }));
  const atWork = () => request.begun()[0]?.toString();
  const first = await eventually("a job runs", atWork, { deadlineSec: PATIENCE_SEC, everyMs: 100 });
  // One at a time: whichever the engine began with, the others have yet to run.
  const lost = `mg_00000${(Number(first) + 1) % 4}`;
  const { workflow } = await server.get("/requests/lost-unit");
  const { dag } = await server.get(`/workflows/${workflow.id}/status`);
  const { submit_dir } = await server.get(`/dags/${dag.id}`);
  rmSync(join(submit_dir, lost), { recursive: true });
  request.heal();
  const held = await server.until("lost-unit", ["held", "completed"], PATIENCE_SEC);
  expect(held.hold).toMatchObject({
    code: "unit-directory-damaged",
    message: expect.stringContaining(join(submit_dir, lost)),
  });
  await server.send("POST", "/requests/lost-unit/release", { reason: "plan it again" });
  await server.until("lost-unit", ["completed"], PATIENCE_SEC);
  request.expectOnceEach();
  expect(await outputs(server, "lost-unit")).toBe(4);
}
