import { appendFileSync, existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { eventually } from "../../support/eventually.ts";
import { FailingRequest, outputs, PATIENCE_SEC } from "../../support/failing-request.ts";
import { asPoolRoot, inPool, poolServer, sharedDir } from "../../support/pool-server.ts";

const server = poolServer();
const work = sharedDir("broken");
beforeAll(() => server.start());
afterAll(async () => {
  await server.stop();
  await server.remove();
  rmSync(work, { recursive: true, force: true });
});

const roundOf = (name: string): string => {
  const spool = join(server.dataDir, "spool", name);
  return join(spool, readdirSync(spool).find((entry) => /^r\d/.test(entry)) ?? "");
};

/** As it is with defaults of HTCondor after a schedd was killed: the log has a job executing whose end it has, too. */
function tearLog(dir: string): void {
  const log = readFileSync(join(dir, "workflow.dag.nodes.log"), "utf8");
  const [job] = /^005 \((\d+)\./m.exec(log)?.slice(1) ?? [];
  const config = join(dir, "dagman.config");
  writeFileSync(config, readFileSync(config, "utf8").replace("ALLOW_EVENTS = 118", "ALLOW_EVENTS = 114"));
  const out = readFileSync(join(dir, "workflow.dag.dagman.out"), "utf8");
  const [pid = ""] = /\(PID = (\d+)\)|\*\* PID = (\d+)/.exec(out)?.slice(1).filter(Boolean) ?? [];
  asPoolRoot("kill", "-STOP", pid);
  appendFileSync(
    join(dir, "workflow.dag.nodes.log"),
    `001 (${job}.000.000) 2026-01-01 00:00:00 Job executing on host: <127.0.0.1:9618>\n\tSlotName: slot1@localhost\n...\n`,
  );
  asPoolRoot("kill", "-9", pid);
}

test("a DAGMan that cannot go on from its log is repaired: no rescue is used, and nothing finished runs again", async () => {
  const request = new FailingRequest(work, "torn", 4);
  request.close();
  await server.submit(request.document({ throttles: { units: 4 }, recovery: { max_rescues: 0 } }));
  const finished = await request.pass(1);
  await eventually("a unit is done", async () => (await outputs(server, "torn")) === 1, { deadlineSec: PATIENCE_SEC });
  await eventually("the others wait", () => request.begun().length === 4, { deadlineSec: PATIENCE_SEC });
  const dir = roundOf("torn");
  tearLog(dir);
  const out = () => readFileSync(join(dir, "workflow.dag.dagman.out"), "utf8");
  await eventually("DAGMan broke off", () => out().includes("aborting DAG because of bad event"), { deadlineSec: 60 });
  await eventually("it goes on without its lock", () => out().split("STARTING UP").length > 3, {
    deadlineSec: PATIENCE_SEC,
  });
  request.heal();
  await server.until("torn", ["completed", "held"], PATIENCE_SEC);
  const { items } = await server.get("/requests/torn/transitions");
  expect((await server.get("/requests/torn")).status).toBe("completed");
  expect(JSON.stringify(items)).toContain("left no metrics: ERROR: aborting DAG because of bad event");
  for (const index of finished) expect(request.count(index)).toBe(1);
  expect(await outputs(server, "torn")).toBe(4);
  expect(existsSync(join(dir, "workflow.dag.lock"))).toBe(false);
  expect(inPool("condor_q", "-allusers", "-af", "Iwd")).not.toContain(dir);
});
