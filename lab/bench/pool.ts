import { execFileSync } from "node:child_process";
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { loadConfig } from "../../src/config/load.ts";
import { type Server, startServer } from "../../src/main.ts";

const POOL = resolve("scripts/pool");
const UNITS = 20;
const JOBS_PER_UNIT = 20;
const JOBS_SEEN = 6;
const DEADLINE_SEC = 900;

/** A pool that has just run 460 jobs is slower for a while (the second of two equal runs of plain DAGMan took 8 to 25 % longer). */
const REST_SEC = 45;
/** Either side begins once. */
const ORDER = ["plain", "wms2", "wms2", "plain"] as const;

/**
 * What people wait for on a live, idle pool (npm run pool -- up), with WMS2's default settings: from a submission to its first
 * payload, from the end of a job to its count in `show`, from the last node to "completed"; and 460 nodes against the
 * same graph of the same commands in plain DAGMan, twice each, after a rest.
 */
export async function run({ units = UNITS } = {}) {
  const pool = JSON.parse(execFileSync(POOL, ["status", "--json"], { encoding: "utf8" }));
  if (!pool.up) throw new Error("there is no pool: npm run pool -- up");
  const dir = mkdtempSync("/var/tmp/wms2-bench-pool-");
  chmodSync(dir, 0o777);
  const flags = {
    data_dir: join(dir, "data"),
    "listen.port": 0,
    "log.level": "error",
    "engine.kind": "dagman",
    "engine.dagman.prefix": pool.prefix,
    "engine.dagman.submit_uid": pool.uid,
    "engine.dagman.submit_gid": pool.gid,
  };
  const server = await startServer(loadConfig({ flags, environment: {} }).config);
  try {
    const seen = await watchOne(server, dir);
    if (units === 0) return seen;
    const seconds = { plain: [] as number[], wms2: [] as number[] };
    for (const [index, side] of ORDER.entries()) {
      await new Promise((resume) => setTimeout(resume, REST_SEC * 1000));
      const name = `${side}-${index}`;
      seconds[side].push(await (side === "plain" ? runPlain(join(dir, name), units) : runMany(server, name, units)));
    }
    const [plainSeconds, wms2Seconds] = [mean(seconds.plain), mean(seconds.wms2)];
    return { ...seen, wms2Seconds, plainSeconds, ratioToPlainDagman: wms2Seconds / plainSeconds, runs: seconds };
  } finally {
    await server.close();
    rmSync(dir, { recursive: true, force: true });
  }
}

const runMany = (server: Server, name: string, units: number): Promise<number> =>
  timed(async () => {
    await submit(server, name, ["sh", "-c", "echo hello >o"], units * JOBS_PER_UNIT, JOBS_PER_UNIT);
    await untilStatus(server, name, "completed");
  });

const mean = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0) / values.length;

/** One unit whose jobs end one after another and say when they began and ended. */
async function watchOne(server: Server, dir: string) {
  const stamps = join(dir, "stamps");
  mkdirSync(stamps);
  chmodSync(stamps, 0o777);
  const step = `date +%s.%N >${stamps}/$WMS2_NODE.began; n=\${WMS2_NODE##*0}; sleep $((5 + 7 * \${n:-0})); echo >o; date +%s.%N >${stamps}/$WMS2_NODE.ended`;
  const submittedAt = Date.now() / 1000;
  await submit(server, "one", ["sh", "-c", step], JOBS_SEEN, JOBS_SEEN);
  const shownAt: number[] = [];
  await eventually("one completed", async () => {
    const request = await get(server, "/requests/one");
    const dagId = request.workflow?.current_dag_id ?? request.workflow?.dag_id;
    const done = dagId ? (await get(server, `/dags/${dagId}`)).nodes_done : 0;
    while (shownAt.length < done) shownAt.push(Date.now() / 1000);
    return request.status === "completed";
  });
  const completedAt = Date.now() / 1000;
  const times = (end: string) =>
    readdirSync(stamps)
      .filter((name) => name.endsWith(end))
      .map((name) => Number(readFileSync(join(stamps, name), "utf8")))
      .sort((a, b) => a - b);
  // The landing is counted first, the processing jobs in the order of their ends.
  const delays = times(".ended").map((at, index) => (shownAt[index + 1] ?? completedAt) - at);
  return {
    visibleSeconds: Math.max(...delays),
    visibleMeanSeconds: mean(delays),
    completedSeconds: completedAt - lastNodeEndedAt(join(dir, "data", "spool", "one")),
    firstPayloadSeconds: (times(".began")[0] ?? 0) - submittedAt,
  };
}

/** When the job of the last node, the cleanup, ended: by the events of its unit. */
function lastNodeEndedAt(spool: string): number {
  const run = join(spool, readdirSync(spool).find((name) => name.startsWith("r0-")) ?? "");
  const log = readFileSync(join(run, "mg_000000", "group.log"), "utf8");
  const ends = [...log.matchAll(/^005 \([\d.]+\) (\S+ \S+) Job terminated/gm)].map(([, at]) => `${at}`);
  return new Date(ends.at(-1) ?? "").getTime() / 1000;
}

/** The same graph as WMS2's: units of landing, processing, merge and cleanup, of which ten run at a time. */
async function runPlain(plain: string, count: number): Promise<number> {
  const job = (name: string, argv: string, more = "") =>
    writeFileSync(
      join(plain, name),
      `universe = vanilla\nexecutable = /bin/sh\ntransfer_executable = false\narguments = "-c '${argv}'"\nshould_transfer_files = YES\nwhen_to_transfer_output = ON_EXIT\n${more}output = $(JOB).out\nerror = $(JOB).err\nlog = group.log\nrequest_cpus = 1\nrequest_memory = 500\nrequest_disk = 10240\nqueue\n`,
    );
  mkdirSync(plain);
  job("proc.sub", "echo hello >o", 'transfer_output_files = o\ntransfer_output_remaps = "o=$(JOB).o"\n');
  job("other.sub", "true");
  const units = Array.from({ length: count }, (_, index) => `mg_${index}`);
  const jobs = Array.from({ length: JOBS_PER_UNIT }, (_, index) => `proc_${index}`);
  const group = [
    ...["landing", "merge", "cleanup"].map((name) => `JOB ${name} ../other.sub`),
    ...jobs.map((name) => `JOB ${name} ../proc.sub`),
    `PARENT landing CHILD ${jobs.join(" ")}`,
    `PARENT ${jobs.join(" ")} CHILD merge`,
    "PARENT merge CHILD cleanup",
  ].join("\n");
  for (const unit of units) {
    mkdirSync(join(plain, unit));
    writeFileSync(join(plain, unit, "group.dag"), `${group}\n`);
  }
  const top = units.map((unit) => `SUBDAG EXTERNAL ${unit} group.dag DIR ${unit}\nCATEGORY ${unit} units\n`);
  writeFileSync(join(plain, "workflow.dag"), `${top.join("")}MAXJOBS units 10\n`);
  execFileSync("chmod", ["-R", "a+rwX", plain]);
  return timed(async () => {
    execFileSync(POOL, ["exec", "condor_submit_dag", "workflow.dag"], { cwd: plain, stdio: "pipe" });
    await eventually("plain DAGMan ends", () => readdirSync(plain).includes("workflow.dag.metrics"));
  });
}

async function submit(server: Server, name: string, run: readonly string[], events: number, jobs: number) {
  const document = {
    name,
    kind: "generate",
    events,
    split: { by: "events", events_per_job: 1 },
    unit: { jobs },
    steps: [{ name: "s", run }],
    outputs: [{ name: "o", file: "o", merge: "concat" }],
    resources: { cores: 1, memory: "500 MB", time: "10 min", disk: "10 MB" },
  };
  const answer = await fetch(`${server.url}/api/v1/requests`, {
    method: "POST",
    headers: { "content-type": "application/json", authorization: `Bearer ${server.token}` },
    body: JSON.stringify(document),
  });
  if (answer.status !== 201) throw new Error(await answer.text());
}

// biome-ignore lint/suspicious/noExplicitAny: the API's own JSON
const get = async (server: Server, path: string): Promise<any> => (await fetch(`${server.url}/api/v1${path}`)).json();

/** Not more often than a person's `wms2 watch`: an answer costs the server some 6 ms, and it shares two cores with the pool. */
const untilStatus = (server: Server, name: string, status: string): Promise<void> =>
  eventually(`${name} ${status}`, async () => (await get(server, `/requests/${name}`)).status === status, 500);

async function eventually(what: string, holds: () => boolean | Promise<boolean>, everyMs = 100): Promise<void> {
  const end = Date.now() + DEADLINE_SEC * 1000;
  while (!(await holds())) {
    if (Date.now() > end) throw new Error(`not within ${DEADLINE_SEC} s: ${what}`);
    await new Promise((resume) => setTimeout(resume, everyMs));
  }
}

async function timed(work: () => Promise<void>): Promise<number> {
  const begun = performance.now();
  await work();
  return (performance.now() - begun) / 1000;
}
