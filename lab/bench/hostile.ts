import { writeFileSync } from "node:fs";
import { type DeskServer, withDeskServer } from "./desk-server.ts";
import type { HealthAnswer } from "./health-probe.ts";
import { inOwnDirectory, inThread, peakMb, RESTED } from "./measure.ts";

/** A small document, as its writer means it and as somebody writes it who wants the server for himself. */
interface Shape {
  readonly kind: string;
  readonly hostile: string;
}

const graph = (jobs: string, parameters = ""): string =>
  `kind: graph\ndirectory: DIR\n${parameters && `parameters: { ${parameters} }\n`}jobs:\n${jobs}\n`;
const words = (count: number): string => Array.from({ length: count }, (_, at) => `w${at}`).join(", ");
const generate = (events: number, perJob: number): string =>
  `kind: generate\nevents: ${events}\nsplit: { by: events, events_per_job: ${perJob} }\nsteps: [{ name: s, run: ["true"] }]\noutputs: [{ name: o, file: o }]\n`;
const segments = (years: number, components: number): string =>
  `kind: segments\nexperiment: x\ndirectory: DIR\nstart: "0001"\nend: "${String(years).padStart(4, "0")}"\ncalendar: noleap\nsegment: 1y\nhistory: { path: "h/{date}" }\ndefaults: { outputs: { path: "pp/{component}/{product}/{first}" }, ts: [{ frequency: monthly, lengths: [5y, 10y], run: "true {output}" }] }\ncomponents: [${Array.from({ length: components }, (_, at) => `c${at}`).join(", ")}]\n`;
const chain = (events: number): string =>
  JSON.stringify({
    RequestType: "StepChain",
    RequestString: "NAME",
    StepChain: 1,
    CMSSWVersion: "CMSSW_13_0_10",
    ScramArch: ["el8_amd64_gcc11"],
    GlobalTag: "GT",
    AcquisitionEra: "D",
    ProcessingString: "g",
    TimePerEvent: 1,
    SizePerEvent: 1,
    Memory: 2000,
    Step1: { StepName: "S", ConfigCacheID: "a", PrimaryDataset: "P", RequestNumEvents: events, EventsPerLumi: 1 },
  });
const torc = (range: string): string =>
  `directory: DIR\nresource_requirements: [{ name: small, num_cpus: 1, memory: 100m, runtime: PT5M }]\nparameters: { a: "${range}" }\nfiles: [{ name: "f_{a}", path: "out/{a}", use_parameters: [a] }]\njobs:\n  - { name: "j_{a}", command: "true {a}", use_parameters: [a], output_files: ["f_{a}"], resource_requirements: small }\n  - { name: last, command: "true", depends_on_regexes: ["^j_"], resource_requirements: small }\n`;

const SHAPES: Readonly<Record<string, Shape>> = {
  manyJobs: {
    kind: graph('  - { name: "j{i}", each: [i], run: "true {i}" }', "i: 1..20"),
    hostile: graph('  - { name: "j{i}", each: [i], run: "true {i}" }', "i: 1..200000"),
  },
  longNames: {
    kind: graph(`  - { name: "${"n".repeat(20)}{i}", each: [i], run: "true" }`, "i: 1..20"),
    hostile: graph(`  - { name: "${"n".repeat(180)}{i}", each: [i], run: "true", makes: "d/{i}" }`, "i: 1..100000"),
  },
  chain: {
    kind: graph(
      '  - { name: j0, run: "true" }\n  - { name: "j{i}", each: { zip: [i, p] }, run: "true", after: "j{p}" }',
      "i: 1..20, p: 0..19",
    ),
    hostile: graph(
      '  - { name: j0, run: "true" }\n  - { name: "j{i}", each: { zip: [i, p] }, run: "true", after: "j{p}" }',
      "i: 1..100000, p: 0..99999",
    ),
  },
  layers: {
    kind: graph(
      '  - { name: "a{i}", each: [i], run: "true" }\n  - { name: "b{i}", each: [i], run: "true", after: "a*", when: ended }',
      "i: 1..10",
    ),
    hostile: graph(
      '  - { name: "a{i}", each: [i], run: "true" }\n  - { name: "c{i}", each: [i], run: "true" }\n  - { name: "b{i}", each: [i], run: "true", after: ["a*", "c{i}", "a1"], when: ended }',
      "i: 1..60000",
    ),
  },
  fixedWords: {
    kind: graph(`  - { name: "j{i}", each: [i], run: ["true", ${words(9)}] }`, "i: 1..20"),
    hostile: graph(`  - { name: "j{i}", each: [i], run: ["true", ${words(900)}] }`, "i: 1..200000"),
  },
  absentFiles: {
    kind: graph('  - { name: "j{i}", each: [i], run: "true", reads: "in/{i}" }', "i: 1..20"),
    hostile: graph('  - { name: "j{i}", each: [i], run: "true", reads: ["in/{i}", "in/{i}/x"] }', "i: 1..100000"),
  },
  generate: { kind: generate(1000, 100), hostile: generate(10 ** 15, 1) },
  segments: { kind: segments(20, 2), hostile: segments(2000, 60) },
  reqmgr2: { kind: chain(1000), hostile: chain(9 * 10 ** 15) },
  torc: { kind: torc("1:20"), hostile: torc("1:150000") },
};

/**
 * Small documents of ten shapes, one after the other, while health is asked for every 10 ms: how long each took until it was refused or
 * planned, the most memory the server had meanwhile, and the longest that an answer about health took.
 */
export const run = () =>
  inOwnDirectory(
    "hostile",
    (dataDir) =>
      withDeskServer(dataDir, { requests: 0, units: 1 }, async (server) => {
        const numbers: Record<string, object> = {};
        for (const [name, shape] of Object.entries(SHAPES))
          for (const variant of ["kind", "hostile"] as const)
            numbers[`${name}.${variant}`] = await measured(server, dataDir, `${name}-${variant}`, shape[variant]);
        return numbers;
      }),
    RESTED,
  );

async function measured({ url, token, pid }: DeskServer, dir: string, name: string, document: string) {
  // Forgets the most it had before (Linux).
  writeFileSync(`/proc/${pid}/clear_refs`, "5");
  const stop = new SharedArrayBuffer(4);
  const health = inThread<object, HealthAnswer>("health-probe", { url, stop });
  const begun = performance.now();
  const headers = { authorization: `Bearer ${token}`, "content-type": "application/yaml" };
  const body = document.startsWith("{")
    ? document.replace('"NAME"', `"${name}"`)
    : `name: ${name}\n${document.replace("DIR", dir)}`;
  const answer = await fetch(`${url}/api/v1/requests`, { method: "POST", headers, body });
  const { request_name: stored, name: named } = (await answer.json()) as { request_name?: string; name?: string };
  const own = stored ?? named ?? name;
  const status = answer.ok ? await planned(`${url}/api/v1/requests/${own}`) : "refused";
  const seconds = Math.round(performance.now() - begun) / 1000;
  if (answer.ok) {
    const reason = JSON.stringify({ reason: "measured" });
    const json = { ...headers, "content-type": "application/json" };
    await (await fetch(`${url}/api/v1/requests/${own}/abort`, { method: "POST", headers: json, body: reason })).text();
  }
  Atomics.store(new Int32Array(stop), 0, 1);
  const { longestMs, late } = await health;
  return {
    bytes: document.length,
    seconds,
    status,
    peakRssMb: peakMb(pid),
    longestHealthMs: longestMs,
    healthOver100Ms: late,
  };
}

async function planned(address: string): Promise<string> {
  for (let asked = 0; ; asked += 1) {
    const { status } = (await (await fetch(address)).json()) as { status: string };
    if (!["submitted", "queued", "planning"].includes(status) || asked > 200) return status;
    await new Promise((resume) => setTimeout(resume, 250));
  }
}
