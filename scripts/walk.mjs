#!/usr/bin/env node
// Which of our files a request passes, by V8's coverage of the built programs: a file counts when one of its functions ran
// (that it was loaded does not). Those of the local engine's process are told apart: with DAGMan they are not passed. Usage: npm run -s walk -- submit|failure [--json]
//   submit   from the HTTP body to registered outputs, on the local engine
//   failure  from a failing attempt to the release by an operator, and the end
import { execFileSync } from "node:child_process";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { Session } from "node:inspector/promises";
import { SourceMap } from "node:module";
import { tmpdir } from "node:os";
import { join, relative, resolve } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";

const root = resolve(import.meta.dirname, "..");
const dist = join(root, "dist");
const BRAIN = join(dist, "src/submit-dir/payload/submit-host/brain.cjs");
const DEADLINE_SEC = 120;

/** The source of a function that ran, or null when it is not ours. */
function sourceOf(url, offset, maps) {
  if (!url.startsWith("file://")) return null;
  const file = fileURLToPath(url);
  if (file.endsWith("/brain.cjs")) return maps.brain(offset);
  const path = relative(dist, file);
  return /^(src|lab)\//.test(path) ? path.replace(/\.js$/, ".ts") : null;
}

/** POST's program is one file of many: its map says which source a function came from. */
function brainMap(folder) {
  const tools = join(root, "node_modules/.bin/rolldown");
  const out = join(folder, "brain.cjs");
  const source = join(root, "src/submit-dir/post/main.ts");
  const words = [
    "--platform",
    "node",
    "--format",
    "cjs",
    "--tsconfig",
    "tsconfig.brain.json",
    "--minify",
    "--sourcemap",
  ];
  execFileSync(tools, [source, ...words, "--file", out], { cwd: root, stdio: "ignore" });
  const payload = JSON.parse(readFileSync(`${out}.map`, "utf8"));
  const map = new SourceMap(payload);
  const starts = [0];
  const text = readFileSync(BRAIN, "utf8");
  for (let at = text.indexOf("\n"); at !== -1; at = text.indexOf("\n", at + 1)) starts.push(at + 1);
  return (offset) => {
    const line = starts.findLastIndex((start) => start <= offset);
    const { originalSource } = map.findEntry(line, offset - starts[line]);
    const path = originalSource && relative(root, resolve(folder, originalSource));
    return path?.startsWith("src/") ? path : null;
  };
}

/** Files in the order in which they were first seen to run. */
class Walked {
  files = new Set();
  constructor(maps) {
    this.maps = maps;
  }
  add(scripts) {
    for (const { url, functions } of scripts)
      for (const { functionName, ranges } of functions) {
        if (ranges[0].count === 0 || (functionName === "" && ranges[0].startOffset === 0)) continue;
        const source = sourceOf(url, ranges[0].startOffset, this.maps);
        if (source) this.files.add(source);
      }
  }
}

async function api(server, method, path, body) {
  const answer = await fetch(`${server.url}/api/v1${path}`, {
    method,
    headers: { authorization: `Bearer ${server.token}`, "content-type": "application/json" },
    ...(body && { body: JSON.stringify(body) }),
  });
  const said = await answer.json();
  if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${JSON.stringify(said)}`);
  return said;
}

async function until(server, name, statuses) {
  for (const end = Date.now() + DEADLINE_SEC * 1000; Date.now() < end; await sleep(50)) {
    // Past the API, which is no part of the way while nobody looks.
    const { status } = await server.ports.store.requests.get(name);
    if (statuses.includes(status)) return status;
  }
  throw new Error(`${name} did not become ${statuses.join(" or ")} within ${DEADLINE_SEC} s`);
}

/** Two units of two jobs each, as the examples have them. */
const request = (fail) => ({
  name: "walk",
  kind: "generate",
  events: 400,
  events_per_lumi: 50,
  split: { by: "events", events_per_job: 100 },
  unit: { jobs: 2 },
  payload: "simulator",
  chain: ["GEN", "RECO"],
  simulate: { time_scale: 0.0001, memory_scale: 0.01, ...(fail && { fail: [fail] }) },
  resources: { cores: 1, memory: "300 MB", time: "10 min", disk: "100 MB" },
});

const WALKS = {
  async submit(server, begin) {
    await begin();
    await api(server, "POST", "/requests", request());
    await until(server, "walk", ["completed"]);
  },
  async failure(server, begin) {
    await api(server, "POST", "/requests", request({ step: "RECO", exit_code: 77, every: 1, attempts: 99 }));
    await until(server, "walk", ["active"]);
    await begin();
    await until(server, "walk", ["held"]);
    await api(server, "POST", "/requests/walk/release", { reason: "the cause is gone" });
    await until(server, "walk", ["active"]);
  },
};

async function startServer(folder) {
  const { loadConfig } = await import(join(dist, "src/config/load.js"));
  const { startServer } = await import(join(dist, "src/main.js"));
  const flags = {
    data_dir: folder,
    spool_dir: join(folder, "spool"),
    storage_dir: join(folder, "storage"),
    "listen.port": 0,
    "engine.kind": "local",
    "lifecycle.interval_sec": 0.2,
    "dag.status_interval_sec": 1,
    "dag.defer_poll_sec": 1,
    "recovery.cooloff_base_sec": 0,
    "log.level": "silent",
  };
  return startServer(loadConfig({ file: undefined, environment: {}, flags }).config);
}

/** What a walk passed: in this process as it went, in the engine's and POST's by what they left. */
async function walk(name) {
  const folder = mkdtempSync(join(tmpdir(), "wms2-walk-"));
  const left = join(folder, "coverage");
  const walked = new Walked({ brain: brainMap(mkdtempSync(join(folder, "map-"))) });
  // For the processes that this one starts; where they have begun already, nothing is written.
  process.env.NODE_V8_COVERAGE = left;
  const server = await startServer(join(folder, "data"));
  const session = new Session();
  session.connect();
  await session.post("Profiler.enable");
  let isOver = false;
  let looking = Promise.resolve();
  const look = async () => walked.add((await session.post("Profiler.takePreciseCoverage")).result);
  const begin = async () => {
    await session.post("Profiler.startPreciseCoverage", { callCount: true, detailed: false });
    looking = (async () => {
      for (; !isOver; await sleep(5)) await look();
    })();
  };
  try {
    await WALKS[name](server, begin);
    isOver = true;
    await looking;
    await look();
  } finally {
    isOver = true;
    await api(server, "POST", "/requests/walk/abort", { reason: "the walk is over" }).catch(() => {});
    await server.close();
    session.disconnect();
    const { stopLocalEngine } = await import(join(dist, "src/cli/run/stop-engine.js"));
    await stopLocalEngine(join(folder, "data"));
  }
  const engine = new Walked(walked.maps);
  for (const file of existsSync(left) ? readdirSync(left) : []) {
    const { result } = JSON.parse(readFileSync(join(left, file), "utf8"));
    (result.some(({ url }) => url.endsWith("/engines/local/daemon.js")) ? engine : walked).add(result);
  }
  rmSync(folder, { recursive: true, force: true });
  const files = [...walked.files];
  return { files, count: files.length, engine: [...engine.files] };
}

const [name = "", ...options] = process.argv.slice(2);
if (!Object.hasOwn(WALKS, name)) {
  console.error(`usage: npm run -s walk -- ${Object.keys(WALKS).join("|")} [--json]`);
  process.exit(2);
}
execFileSync("sh", [join(root, "scripts/ready")], { stdio: ["ignore", "ignore", "inherit"] });
const found = await walk(name);
console.log(
  options.includes("--json")
    ? JSON.stringify(found)
    : [...found.files, `${found.count} files, and ${found.engine.length} in the process of the local engine`].join(
        "\n",
      ),
);
process.exit(0);
