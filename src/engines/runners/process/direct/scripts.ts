import { existsSync, readFileSync, renameSync, statSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { isName } from "../../../../core/names.ts";
import { believedSite } from "../../../../submit-dir/include-file.ts";
import { attemptFile, fromUnit, NODE, nodeFile, program, TOP, UNIT } from "../../../../submit-dir/names.ts";
import { appendLine } from "../../../../submit-dir/post/ledger-file.ts";
import { expandArguments } from "../../../dag/node-scripts.ts";
import type { ScriptCall } from "../../../dag/runner.ts";
import type { Ours } from "./ours.ts";

/**
 * PRE and POST of a job with nothing to decide, done here instead of starting bin/pre and bin/post: two processes less
 * per job. The exit code; null: something is to be decided or cannot be done, and the program is run as always. Whatever was
 * written before a crash or a full disk, the program finds and completes.
 */
export function scriptAtOnce(call: ScriptCall, ours: Ours, now: () => Date): number | null {
  const { part, node, cwd } = call;
  const { executable, arguments: words } = node.spec[part] ?? { executable: "", arguments: [] };
  if (executable !== fromUnit(program(part)) || !ours.is(resolve(cwd, executable), program(part))) return null;
  const shared = program("verdict.sh");
  if (!ours.is(resolve(cwd, fromUnit(shared)), shared)) return null;
  const given = expandArguments(words, call);
  if (!isName(given[0] ?? "")) return null;
  try {
    return part === "pre" ? pre(cwd, given) : post(cwd, given, ours, now());
  } catch {
    return null;
  }
}

/** Nothing is known of the node, and nobody before it failed. */
function pre(dir: string, [node = "", , ...rest]: readonly string[]): number | null {
  const marks = ["post", "stopped", "wait"] as const;
  if (marks.some((mark) => existsSync(join(dir, nodeFile(node, mark))))) return null;
  if (rest[0] === "landed") return isLanded(dir) ? 0 : null;
  const jobs = rest[0] === "ended" ? rest.slice(1) : rest;
  const ended = jobs.length > 0 ? statSync(join(dir, fromUnit(TOP.ended)), { throwIfNoEntry: false }) : undefined;
  return (ended?.size ?? 0) > 0 ? null : 0;
}

/** Where the unit runs is known: bin/elect has said so. */
function isLanded(dir: string): boolean {
  const path = join(dir, nodeFile("landing", "post"));
  const isTold = existsSync(path) && existsSync(join(dir, UNIT.ledger));
  return isTold && readFileSync(path, "utf8").includes('"decision":"done"');
}

const INTEGER = /^-?\d{1,11}$/;
const DECIMAL = /^\d[\d.]{0,15}$/;

/** The first attempt on the node ended well, and says so: the same two texts as verdict.sh writes, in the same order. */
function post(dir: string, given: readonly string[], ours: Ours, now: Date): number | null {
  const [node = "", returned, retry = "", maxRetries = "", cluster = ""] = given;
  if (returned !== "0" || node === "merge" || ![retry, maxRetries, cluster].every((word) => INTEGER.test(word)))
    return null;
  if ([NODE.post, NODE.trouble].some((ending) => existsSync(join(dir, `${node}.${ending}`)))) return null;
  const said = readReport(readFileSync(join(dir, attemptFile(node, cluster, "report")), "utf8"));
  const isOwn = said.node === `"${node}"` && ["null", cluster].includes(said.cluster ?? "");
  if (said.state !== '"finished"' || said.exitCode !== "0" || !isOwn) return null;
  const site = believedSite(ours.read(join(dir, UNIT.include)) ?? "", unquoted(said.site));
  const at = second(now);
  const decimal = (key: string): string => (DECIMAL.test(said[key] ?? "") ? (said[key] as string) : "null");
  const time = (key: string): string =>
    /^\d{1,11}$/.test(said[key] ?? "") ? `"${second(new Date(Number(said[key]) * 1000))}"` : "null";
  const [wall, cpu, peak] = [decimal("wallSec"), decimal("cpuSec"), decimal("peakMemoryMb")];
  const named = site !== null && isName(site) ? `"${site}"` : "null";
  const host = isName(unquoted(said.host) ?? "") ? said.host : "null";
  const verdict =
    `{"event":"attempt","at":"${at}","node":"${node}","cluster":${cluster},"retry":${retry},"maxRetries":${maxRetries},` +
    `"return":0,"rrn":1,"epoch":0,"exitCode":0,"site":${named},"host":${host},"startedAt":${time("startedAt")},` +
    `"endedAt":${time("endedAt")},"wallSec":${wall},"cpuSec":${cpu},"peakMemoryMb":${peak},` +
    '"decision":"done","category":null,"reason":"exit 0"}';
  const document =
    `{"node_name":"${node}","timestamp":"${at}","attempt":${Number(retry) + 1},"max_retries":${maxRetries},"final":true,` +
    `"verdict":${verdict},"job":{"exit_code":0,"exit_signal":null,"hold_reason":null,"wall_time_sec":${wall},` +
    `"cpu_time_sec":${cpu},"memory_mb":null,"site":${named},"schedd":null},"cmssw":{"exit_code":0,"steps":{},` +
    `"error_message":null,"input_files":[],"output_files":[],"performance":{"peak_rss_mb":${peak},` +
    `"avg_event_time_sec":null,"events_read":${decimal("eventsRead")},"events_written":${decimal("eventsWritten")}}},` +
    '"classification":{"category":null,"retryable":false,"bad_input_files":[],"action":"success","rrn":1,"epoch":0,' +
    '"reason":"exit 0"},"log_tail":""}\n';
  const path = join(dir, nodeFile(node, "post"));
  writeFileSync(`${dir}/.${node}.${NODE.post}.tmp`, document);
  renameSync(`${dir}/.${node}.${NODE.post}.tmp`, path);
  appendLine(dir, `${verdict}\n`);
  return 0;
}

const second = (at: Date): string => `${at.toISOString().slice(0, 19)}Z`;
const unquoted = (json: string | undefined): string | null => /^"([^"\\]*)"$/.exec(json ?? "")?.[1] ?? null;

/** The keys of a whole report up to its steps, each with its JSON; none of one that was cut short. */
function readReport(text: string): Readonly<Record<string, string>> {
  const found: Record<string, string> = {};
  if (!text.endsWith("}\n")) return found;
  for (const [, key = "", value = ""] of text.slice(0, text.indexOf('\n"steps":')).matchAll(/^"(\w+)":(.*?),?$/gm))
    found[key] = value;
  return found;
}
