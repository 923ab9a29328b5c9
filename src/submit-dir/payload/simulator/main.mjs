/**
 * simulate STEP: behaves like one cmsRun of a chain. Reads events (made up, from input files, or from the step
 * before in this job), burns CPU and holds memory as the step's profile says, writes <step>.out, the same under the
 * names of further outputs, and FrameworkJobReport.xml, and fails when it is told to.
 */
import { writeFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { generateEvents, InputError, passesFilter, readSources, writeEvents } from "./events.mjs";
import { ruleFor } from "./failures.mjs";
import { burnCpu, holdMemory, memoryMb, timesOf } from "./load.mjs";
import { parseOptions, readJob } from "./options.mjs";
import { renderReport } from "./report.mjs";

const FJR = "FrameworkJobReport.xml";
const began = performance.now();

/** @param {string} step */
async function main(step) {
  const options = parseOptions(step, process.env.WMS2_SIM_OPTIONS);
  const job = readJob(step, process.env);
  const output = `${step.toLowerCase()}.out`;
  /** @param {Partial<import("./report.mjs").Facts>} facts */
  const report = (facts) => {
    const written = facts.written ?? [];
    const read = facts.sources?.flatMap((source) => source.events) ?? [];
    const model = timesOf(options.profile, job.cores, read.length || written.length);
    return renderReport({
      sources: [],
      outputs: [],
      written,
      step,
      threads: job.cores,
      wallSec: options.reportModel ? model.wallSec : (performance.now() - began) / 1000,
      cpuSec: options.reportModel ? model.cpuSec : cpuSeconds(),
      rssMb: options.reportModel ? memoryMb(options.profile, job.cores) : process.resourceUsage().maxRSS / 1024,
      error: null,
      ...facts,
    });
  };

  let sources;
  try {
    sources = readSources(job, options);
  } catch (error) {
    if (!(error instanceof InputError)) throw error;
    return fail(8020, "FileOpenError", error.message, report);
  }
  const events = sources.length > 0 ? sources.flatMap((source) => source.events) : generateEvents(job, options);

  const rule = ruleFor(options.fail, job, (id) => events.some((event) => event.id === id));
  if (rule?.signal !== undefined) return dieBySignal(rule.signal);
  if (rule?.exit_code !== undefined && rule.exit_code <= 255) return rule.exit_code;
  if (rule?.exit_code !== undefined) {
    const where = sources[0] === undefined ? `event ${events[0]?.id}` : `reading ${sources[0].path}`;
    return fail(rule.exit_code, "SimulatedError", `the simulator was asked to fail, ${where}`, (facts) =>
      report({ sources, ...facts }),
    );
  }
  const held = holdMemory(memoryMb(options.profile, job.cores) * options.memoryScale);
  if (rule?.memory_mb !== undefined) {
    held.push(...holdMemory(rule.memory_mb));
    await sleep((rule.hold_sec ?? 30) * 1000); // for somebody to notice and end us
    return fail(8031, "MemoryExceeded", `${rule.memory_mb} MB held and nobody minded`, report);
  }
  if (rule?.wall_sec !== undefined) await sleep(rule.wall_sec * 1000);

  const written = events.filter((event) => passesFilter(event, step, options.filter));
  await burnCpu(options.profile, job.cores, timesOf(options.profile, 1, events.length).cpuSec * options.timeScale);
  for (const file of [...options.outputs, output])
    writeEvents(file, written, step, options.profile.kbPerEvent * 1024 * options.sizeScale);
  const text = report({ sources, outputs: [output, ...options.outputs], written });
  const cut = { truncated: text.length / 2, empty: 0 };
  writeFileSync(FJR, rule?.fjr === undefined ? text : text.slice(0, cut[rule.fjr]));
  console.log(`${step}: ${events.length} events in, ${written.length} out, ${held.length} blocks of memory`);
  return 0;
}

/**
 * As cmsRun does: the code goes to the report, its low 8 bits to the shell.
 * @param {number} code @param {string} type @param {string} text
 * @param {(facts: Partial<import("./report.mjs").Facts>) => string} report
 */
function fail(code, type, text, report) {
  writeFileSync(FJR, report({ error: { code, type, text } }));
  console.error(`Fatal Exception: ${type}: ${text}`);
  return code & 255 || 1;
}

/** @param {string | number} signal */
async function dieBySignal(signal) {
  process.kill(process.pid, typeof signal === "number" ? signal : /** @type {NodeJS.Signals} */ (signal));
  await sleep(5000);
  return 1;
}

function cpuSeconds() {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1e6;
}

const step = process.argv[2]?.toUpperCase() ?? "";
try {
  process.exitCode = await main(step);
} catch (error) {
  console.error(`simulate ${step}: ${error instanceof Error ? error.message : error}`);
  process.exitCode = 90; // 7002 in 8 bits: the configuration cannot be used
}
