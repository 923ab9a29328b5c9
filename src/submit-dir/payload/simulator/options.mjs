/**
 * What the simulator was asked to do. Options come as JSON in WMS2_SIM_OPTIONS, everything else from the WMS2_*
 * variables every step sees. A mistake in the options is an error: a test whose failure rule is misspelt must
 * not pass because nothing failed.
 *
 * @typedef {{serial: number, baseMb: number, mbPerThread: number, secPerEvent: number, kbPerEvent: number}} Profile
 * @typedef {{timeScale: number, memoryScale: number, sizeScale: number, filter: number, run: number,
 *   inventInputs: boolean | null, reportModel: boolean, outputs: string[], profile: Profile, fail: import("./failures.mjs").Rule[]}} Options
 * @typedef {{step: string, index: number, node: string, site: string | null, cores: number, seed: string,
 *   inputs: string[], firstEvent: bigint | null, lastEvent: bigint | null, events: number | null,
 *   firstLumi: number | null, lastLumi: number | null, runLumis: Record<string, [number, number][]> | null,
 *   manifest: string | null, attempt: number | null, isInstance: boolean, beforeDirs: string[]}} Job
 */
import { readFileSync } from "node:fs";
import { RULE_KEYS } from "./failures.mjs";

/** Measured shapes of real steps; SIM lies between GEN and DIGI in memory and is the slowest by far. */
export const PROFILES = /** @type {Record<string, Profile>} */ ({
  GEN: { serial: 0.3, baseMb: 1500, mbPerThread: 250, secPerEvent: 0.05, kbPerEvent: 50 },
  SIM: { serial: 0.15, baseMb: 1600, mbPerThread: 250, secPerEvent: 0.1, kbPerEvent: 60 },
  DIGI: { serial: 0.1, baseMb: 1800, mbPerThread: 300, secPerEvent: 0.03, kbPerEvent: 30 },
  RECO: { serial: 0.1, baseMb: 1800, mbPerThread: 300, secPerEvent: 0.03, kbPerEvent: 20 },
  MINI: { serial: 0.08, baseMb: 1600, mbPerThread: 200, secPerEvent: 0.02, kbPerEvent: 15 },
  NANO: { serial: 0.05, baseMb: 1200, mbPerThread: 150, secPerEvent: 0.01, kbPerEvent: 5 },
});

const KEYS = [
  "time_scale",
  "memory_scale",
  "size_scale",
  "filter",
  "run",
  "invent_inputs",
  "report_model",
  "outputs",
  "profiles",
  "fail",
];

/** @param {string} step @param {string | undefined} text @returns {Options} */
export function parseOptions(step, text) {
  const raw = text ? JSON.parse(text) : {};
  refuseUnknown(raw, KEYS, "option");
  const profile = { ...PROFILES[step], ...raw.profiles?.[step] };
  if (Object.keys(profile).length < 5) {
    throw new Error(`no profile for step ${step}; known: ${Object.keys(PROFILES).join(", ")}`);
  }
  const fail = raw.fail ?? [];
  for (const rule of fail) refuseUnknown(rule, RULE_KEYS, "failure rule key");
  const filter = typeof raw.filter === "object" ? raw.filter[step] : raw.filter;
  return {
    timeScale: raw.time_scale ?? 0.001,
    memoryScale: raw.memory_scale ?? 0.02,
    sizeScale: raw.size_scale ?? 0.001,
    filter: filter ?? 1,
    run: raw.run ?? 1,
    inventInputs: raw.invent_inputs ?? null,
    reportModel: raw.report_model ?? false,
    outputs: raw.outputs?.[step] ?? [],
    profile: /** @type {Profile} */ (profile),
    fail,
  };
}

/** @param {string} step @param {NodeJS.ProcessEnv} env @returns {Job} */
export function readJob(step, env) {
  const number = (/** @type {string | undefined} */ text) => (text ? Number(text) : null);
  const big = (/** @type {string | undefined} */ text) => (text ? BigInt(text) : null);
  const list = env.WMS2_INPUT_LIST ? readFileSync(env.WMS2_INPUT_LIST, "utf8") : "";
  return {
    step,
    index: Number(env.WMS2_STEP_INDEX ?? 0),
    node: env.WMS2_NODE ?? "node",
    site: env.WMS2_SITE ?? null,
    cores: Math.max(1, Number(env.WMS2_THREADS ?? env.WMS2_CORES ?? 1)),
    seed: env.WMS2_SEED ?? "0",
    inputs: list.split("\n").filter((path) => path !== ""),
    firstEvent: big(env.WMS2_FIRST_EVENT),
    lastEvent: big(env.WMS2_LAST_EVENT),
    events: number(env.WMS2_EVENTS),
    firstLumi: number(env.WMS2_FIRST_LUMI),
    lastLumi: number(env.WMS2_LAST_LUMI),
    runLumis: env.WMS2_RUN_LUMIS ? JSON.parse(env.WMS2_RUN_LUMIS) : null,
    manifest: env.WMS2_MANIFEST ?? null,
    attempt: number(env.WMS2_ATTEMPT),
    isInstance: env.WMS2_INSTANCE !== undefined,
    beforeDirs: env.WMS2_BEFORE_DIRS?.split("\n") ?? ["."],
  };
}

/** @param {object} value @param {readonly string[]} known @param {string} what */
function refuseUnknown(value, known, what) {
  for (const key of Object.keys(value)) {
    if (!known.includes(key)) throw new Error(`unknown ${what} ${key}; known: ${known.join(", ")}`);
  }
}
