import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeAll, beforeEach, expect, test } from "vitest";
import { ensureBuilt } from "../../../tests/support/built.ts";
import { eventually } from "../../../tests/support/eventually.ts";
import { removeData } from "../../../tests/support/remove-data.ts";
import type { DagId } from "../../core/names.ts";
import type { Run } from "../../core/run.ts";
import type { Engine } from "../port.ts";
import { isAlive, readHolder } from "../runners/process/proc.ts";
import { makeLocalEngine } from "./local-engine.ts";

/** kill -9 of the engine process at random moments: everything is done in the end, and nothing was done twice. */
let root: string;
let engine: Engine;

beforeAll(() => ensureBuilt(), 120_000);
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "wms2-crash-"));
  engine = makeLocalEngine({ dir: join(root, "engine"), sites: [{ name: "here", cores: 4, memoryMb: 4000 }] });
});
afterEach(async () => {
  await engine.close();
  await removeData(root);
});

const UNITS = 3;
const JOBS = 8;

function lay(): Run {
  const dir = join(root, "run");
  const put = (name: string, text: string): void => {
    mkdirSync(join(dir, name, ".."), { recursive: true });
    writeFileSync(join(dir, name), text);
    chmodSync(join(dir, name), 0o755);
  };
  put("job", '#!/bin/sh\necho "$1" >>"$2/ran.log"\nsleep 0.03\necho "$1" >out\n');
  put("post", '#!/bin/sh\n[ "$2" = 0 ] || exit 1\n[ -s "$1.$3.out" ] || exit 1\necho "$1" >>"$PWD/../posted.log"\n');
  put(
    "job.sub",
    `executable = ../job\narguments = $(unit).$(JOB) ${dir}\nshould_transfer_files = YES\ntransfer_output_files = out\n` +
      'transfer_output_remaps = "out=$(JOB).$(Cluster).out"\nlog = group.log\nqueue\n',
  );
  let top = "NODE_STATUS_FILE workflow.dag.status 1\nMAXJOBS units 2\n";
  for (let unit = 0; unit < UNITS; unit++) {
    const name = `mg_00000${unit}`;
    let inner = "PARENT j0 j1 CHILD j2 j3 j4\nPARENT j2 j3 CHILD j5 j6\n";
    for (let job = 0; job < JOBS; job++) {
      inner += `JOB j${job} ../job.sub\nVARS j${job} unit="${name}"\n`;
      inner += `SCRIPT POST j${job} ../post $JOB $RETURN $CLUSTERID\n`;
    }
    put(`${name}/group.dag`, inner);
    top += `SUBDAG EXTERNAL ${name} group.dag DIR ${name}\nCATEGORY ${name} units\n`;
  }
  put("workflow.dag", top);
  const dagId = "crash" as DagId;
  return { dagId, submitDir: dir, batchName: "wms2-crash", engineId: null, priority: 0 };
}

async function killDaemon(): Promise<void> {
  const holder = readHolder(join(root, "engine", "lock"));
  if (!holder || !isAlive(holder)) return;
  process.kill(holder.pid, "SIGKILL");
  await eventually("the engine process is gone", () => !isAlive(holder));
}

const lines = (name: string): string[] => {
  const path = join(root, "run", name);
  return existsSync(path) ? readFileSync(path, "utf8").trim().split("\n").sort() : [];
};

test("killed again and again, it runs every job once and completes", async () => {
  const run = lay();
  const submitted = await engine.submit(run, 1);
  expect(submitted.kind).toBe("submitted");
  const mine = { ...run, engineId: submitted.kind === "submitted" ? submitted.engineId : null };
  let kills = 0;
  while (kills < 25 && (await engine.find(mine)).kind === "found") {
    await new Promise((done) => setTimeout(done, Math.random() * 60)); // the random moment is the test
    await killDaemon();
    kills += 1;
  }
  expect(kills).toBeGreaterThanOrEqual(20);
  await eventually("the run has left", async () => (await engine.find(mine)).kind === "absent", { deadlineSec: 60 });
  const view = (await engine.observe([mine])).get(mine.dagId);
  expect(view).toMatchObject({ kind: "ended", verdict: "success" });
  const expected: string[] = [];
  for (let unit = 0; unit < UNITS; unit++)
    for (let job = 0; job < JOBS; job++) expected.push(`mg_00000${unit}.j${job}`);
  expect(lines("ran.log")).toEqual(expected.sort());
  expect(lines("posted.log")).toHaveLength(expected.length);
}, 120_000);
