/**
 * Failures on demand. A rule says what happens (exit_code, signal, memory_mb, wall_sec or fjr) and when; every
 * condition it names must hold, and the first rule that holds acts.
 *
 * @typedef {{step?: string, exit_code?: number, signal?: string | number, memory_mb?: number, wall_sec?: number,
 *   hold_sec?: number, fjr?: "truncated" | "empty", nodes?: string | string[], every?: number, site?: string,
 *   file?: string, event?: number | string, attempts?: number, probability?: number, seed?: number}} Rule
 */
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { hash32 } from "./events.mjs";

const ACTIONS = ["exit_code", "signal", "memory_mb", "wall_sec", "fjr"];
const CONDITIONS = ["step", "nodes", "every", "site", "file", "event", "attempts", "probability"];
export const RULE_KEYS = [...ACTIONS, ...CONDITIONS, "hold_sec", "seed"];

/**
 * @param {readonly Rule[]} rules
 * @param {import("./options.mjs").Job} job
 * @param {(id: string) => boolean} hasEvent
 * @returns {Rule | null}
 */
export function ruleFor(rules, job, hasEvent) {
  const candidates = rules.filter((rule) => applies(rule, job, hasEvent));
  if (candidates.length === 0) return null;
  const counted = candidates.some((rule) => rule.attempts !== undefined || rule.probability !== undefined);
  const attempt = job.attempt ?? (counted ? countAttempt(job) : 1);
  return candidates.find((rule) => attempt <= (rule.attempts ?? Infinity) && unlucky(rule, job, attempt)) ?? null;
}

/** @param {Rule} rule @param {import("./options.mjs").Job} job @param {(id: string) => boolean} hasEvent */
function applies(rule, job, hasEvent) {
  if (rule.step !== undefined && rule.step.toUpperCase() !== job.step) return false;
  if (rule.nodes !== undefined && ![rule.nodes].flat().some((glob) => matches(glob, job.node))) return false;
  if (rule.every !== undefined && nodeNumber(job.node) % rule.every !== 0) return false;
  if (rule.site !== undefined && !matches(rule.site, job.site ?? "")) return false;
  const part = rule.file;
  if (part !== undefined && !job.inputs.some((path) => path.includes(part))) return false;
  return rule.event === undefined || hasEvent(String(rule.event));
}

/** The same node and attempt always have the same luck. @param {Rule} rule @param {import("./options.mjs").Job} job @param {number} attempt */
function unlucky(rule, job, attempt) {
  if (rule.probability === undefined) return true;
  return hash32(`${rule.seed ?? 0}/${job.node}/${job.step}/${attempt}`) / 2 ** 32 < rule.probability;
}

/** @param {string} glob @param {string} text */
function matches(glob, text) {
  const escaped = glob
    .replace(/[.+^${}()|[\]\\]/g, "\\$&")
    .replaceAll("*", ".*")
    .replaceAll("?", ".");
  return new RegExp(`^${escaped}$`).test(text);
}

/** @param {string} node */
const nodeNumber = (node) => Number(/\d+$/.exec(node)?.[0] ?? 0);

/**
 * A job does not know how often it was tried, so the simulator counts in the one place all attempts share, the
 * unit's unmerged directory. @param {import("./options.mjs").Job} job
 */
function countAttempt(job) {
  const directory = job.manifest ? JSON.parse(readFileSync(job.manifest, "utf8")).unmerged : dirname(".");
  const marker = join(directory, `.sim-${job.node}-${job.step}`);
  mkdirSync(directory, { recursive: true });
  const attempt = 1 + readCount(marker);
  writeFileSync(marker, `${attempt}\n`);
  return attempt;
}

/** @param {string} marker */
function readCount(marker) {
  try {
    return Number(readFileSync(marker, "utf8"));
  } catch {
    return 0; // the first attempt
  }
}
