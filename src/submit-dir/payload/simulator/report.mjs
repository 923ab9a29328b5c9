/**
 * The FrameworkJobReport.xml a cmsRun would leave: inputs, outputs with runs and lumis, timing, memory, errors.
 *
 * @typedef {{sources: import("./events.mjs").Source[], outputs: string[], written: import("./events.mjs").Event[],
 *   step: string, threads: number, wallSec: number, cpuSec: number, rssMb: number,
 *   error: {code: number, type: string, text: string} | null}} Facts
 */

/** @param {Facts} facts */
export function renderReport(facts) {
  const read = facts.sources.reduce((sum, source) => sum + source.events.length, 0);
  const events = facts.sources.length > 0 ? read : facts.written.length;
  return [
    "<FrameworkJobReport>",
    ...facts.sources.map(inputFile),
    ...facts.outputs.map((output) => outputFile(facts, output)),
    summary("Timing", {
      TotalJobTime: facts.wallSec.toFixed(3),
      TotalJobCPU: facts.cpuSec.toFixed(3),
      EventThroughput: (events / Math.max(facts.wallSec, 0.001)).toFixed(4),
      NumberOfThreads: facts.threads,
      NumberOfStreams: facts.threads,
    }),
    summary("ApplicationMemory", { PeakValueRss: facts.rssMb.toFixed(2) }),
    summary("ProcessingSummary", { NumberEvents: events }),
    ...(facts.error === null ? [] : [frameworkError(facts.error)]),
    "</FrameworkJobReport>",
    "",
  ].join("\n");
}

/** @param {import("./events.mjs").Source} source */
const inputFile = (source) => `<InputFile>
<State Value="closed"/><LFN>${text(source.lfn)}</LFN><PFN>${text(source.path)}</PFN><Catalog></Catalog>
<ModuleLabel>source</ModuleLabel><InputType>primaryFiles</InputType><InputSourceClass>PoolSource</InputSourceClass>
<EventsRead>${source.events.length}</EventsRead>
${runs(source.events)}
</InputFile>`;

/** @param {Facts} facts @param {string} output */
const outputFile = (facts, output) => `<File>
<State Value="closed"/><LFN></LFN><PFN>${text(output)}</PFN><Catalog></Catalog>
<ModuleLabel>${output === facts.outputs[0] ? facts.step : text(output.replace(/\W/g, ""))}output</ModuleLabel><OutputModuleClass>PoolOutputModule</OutputModuleClass>
<TotalEvents>${facts.written.length}</TotalEvents><DataType>MC</DataType>
${runs(facts.written)}
<Inputs>${facts.sources.map((source) => `<Input><LFN>${text(source.lfn)}</LFN><PFN>${text(source.path)}</PFN></Input>`).join("")}</Inputs>
</File>`;

/** @param {readonly import("./events.mjs").Event[]} events */
function runs(events) {
  /** @type {Map<number, Map<number, number>>} */
  const byRun = new Map();
  for (const { run, lumi } of events) {
    if (run === 0) continue;
    const lumis = byRun.get(run) ?? new Map();
    byRun.set(run, lumis.set(lumi, (lumis.get(lumi) ?? 0) + 1));
  }
  const lumi = ([id, count]) => `<LumiSection ID="${id}" NEvents="${count}"/>`;
  const run = ([id, lumis]) => `<Run ID="${id}">${[...lumis].map(lumi).join("")}</Run>`;
  return `<Runs>${[...byRun].map(run).join("")}</Runs>`;
}

/** @param {string} name @param {Record<string, string | number>} metrics */
const summary = (name, metrics) =>
  `<PerformanceReport><PerformanceSummary Metric="${name}">
${Object.entries(metrics)
  .map(([key, value]) => `<Metric Name="${key}" Value="${value}"/>`)
  .join("\n")}
</PerformanceSummary></PerformanceReport>`;

/** @param {{code: number, type: string, text: string}} error */
const frameworkError = (error) =>
  `<FrameworkError ExitStatus="${error.code}" Type="${error.type}"><![CDATA[
An exception of category '${error.type}' occurred while
   ${error.text.replaceAll("]]>", "]] >")} ]]></FrameworkError>`;

/** @param {string} value */
const text = (value) => value.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
