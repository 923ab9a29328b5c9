import { existsSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { eventually } from "../support/eventually.ts";
import { FailingRequest, PATIENCE_SEC } from "../support/failing-request.ts";
import { inPool, poolServer, sharedDir } from "../support/pool-server.ts";

const server = poolServer({ "dag.lost_job_sec": 30 });
const work = sharedDir("lost-job");
beforeAll(() => server.start());
afterAll(async () => {
  await server.stop();
  await server.remove();
  rmSync(work, { recursive: true, force: true });
});

test("an idle job that was removed and whose end nobody wrote down: DAGMan hears of it and tries the node again", async () => {
  const request = new FailingRequest(work, "unheard-of", 1);
  // No worker has so many cores: the job stays idle.
  await server.submit(request.document({ resources: { cores: 32, memory: "100 MB", time: "1 h" } }));
  const spool = join(server.dataDir, "spool", "unheard-of");
  const dir = () => join(spool, readdirSync(spool).find((entry) => /^r\d/.test(entry)) ?? "", "mg_000000");
  const log = () => {
    const path = existsSync(spool) ? join(dir(), "group.dag.nodes.log") : "";
    return existsSync(path) ? readFileSync(path, "utf8") : "";
  };
  const jobs = () =>
    [...log().matchAll(/^000 \(0*(\d+)\.[^\n]*\n\s*DAG Node: landing$/gm)].map((match) => match[1] ?? "");
  const first = await eventually("its job is in the queue", () => jobs()[0], { deadlineSec: PATIENCE_SEC });
  inPool("condor_qedit", first, "DAGManNodesLog", '"/dev/null"');
  inPool("condor_qedit", first, "UserLog", '"/dev/null"');
  inPool("condor_rm", first);
  await eventually("the node is tried again", () => jobs().length > 1, { deadlineSec: 120 });
  expect(log()).toContain("nobody wrote down its end");
  const out = readFileSync(join(dir(), "group.dag.dagman.out"), "utf8");
  // The unit's DAGMan went on; nothing else of it was given up.
  expect(out).not.toContain("lost track");
  expect(out.split("STARTING UP")).toHaveLength(2);
  expect((await server.get("/requests/unheard-of")).status).toBe("active");
  await server.send("POST", "/requests/unheard-of/abort", { reason: "seen" });
  await server.until("unheard-of", ["aborted"], PATIENCE_SEC);
});
