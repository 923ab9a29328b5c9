import { parseFileList } from "../catalogs/local-dataset.ts";
import type { Catalog } from "../catalogs/port.ts";
import type { Config } from "../config/settings.ts";
import { InvariantError, WorldError } from "../core/base/errors.ts";
import { plainJson } from "../core/base/plain-text.ts";
import { toEnd } from "../core/base/slices.ts";
import type { DagId, SiteName } from "../core/names.ts";
import type { DagPlan, PlanOutcome } from "../core/plan.ts";
import type { RequestSpec } from "../core/request.ts";
import type { FillPlan } from "../core/segments.ts";
import { goesByLumis } from "../core/work.ts";
import type { InputFile } from "../core/workflow.ts";
import { readSubmission } from "../intake/read-submission.ts";
import { kindOf } from "../kinds/kind.ts";
import { KINDS } from "../kinds/table.ts";
import { nothingDue } from "../loop/decide-fill.ts";
import { firstFill } from "../loop/gather-fill.ts";
import { THERE_ALREADY } from "../operations/handlers/preview.ts";
import { checkInSlices } from "../planning/check.ts";
import type { PlanFacts } from "../planning/facts.ts";
import { packFiles } from "../planning/packed-files.ts";
import { planJson } from "../planning/plan-json.ts";
import { fileStamps } from "../submit-dir/disk/file-stamps.ts";
import { planDot, planSvg } from "../submit-dir/render/picture.ts";
import { collect, command } from "./command.ts";
import { problemsIn, readRequestFile, readText, withLines } from "./request-file.ts";
import { settingsFrom } from "./settings.ts";
import { lookAt, print, tellWarnings } from "./terminal.ts";
import { planPage } from "./view/plan-page.ts";

export const addPlan = command("plan", {
  about: "what would run, without a server: work units, jobs, sizes, warnings",
  arguments: { "<file>": "the request as YAML or JSON; - is stdin" },
  options: {
    "--files <list>": "plan over this list of files: rows {lfn, size, events, lumis: [{run, lumi: [..]}], sites: [..]}",
    "--name <name>": "another name than the file says",
    "--set <key=value>": { about: "change a field of the request; may be repeated", parse: collect },
    "--json": "everything: each node with its files, ranges, lumis, sites and resources",
    "--dot": "the graph for Graphviz",
    "--svg": "a picture of one unit and of the whole",
  },
  examples: [
    "wms2 plan examples/generate.yaml",
    "wms2 plan examples/generate.yaml --svg > plan.svg",
    "wms2 plan request.yaml --files files.json --set split.files_per_job=10",
    "wms2 plan request.yaml --json | jq '.units[0].nodes[0]'",
  ],
  more: "The first round is planned, with the settings and local sites of this machine (wms2 config show).",
  async run({ options }, file: string) {
    const { config } = settingsFrom(options);
    const { intakeRules, loopPolicy, makeCatalog } = await import("../main.ts");
    const read = readSubmission(readRequestFile(file, options), intakeRules(config), KINDS);
    if (!read.ok) throw problemsIn(file, withLines(file, read.error));
    const { spec } = read.value;
    const catalog = makeCatalog(config);
    const files = await inputFiles(spec, options.files, catalog).finally(() => catalog.services?.close());
    const kind = kindOf(KINDS, spec.work);
    const fill = kind.products && (await firstFill({ stamps: fileStamps }, kind.products, spec, new Date()));
    const facts = {
      ...factsFor(spec, kind.begin(spec.work), files, config, loopPolicy(config)),
      ...(fill && { fill, warnings: [THERE_ALREADY] }),
    };
    const outcome = toEnd(kind.plan(facts));
    const { plan, unplanned } = planned(file, outcome, fill?.plan);
    const violations = toEnd(checkInSlices(plan, facts, kind));
    if (violations.length) {
      const found = violations.map(({ message }) => message).join("; ");
      throw new InvariantError(`the plan is not sound: ${found}`, violations);
    }
    tellWarnings([...read.value.warnings, ...plan.summary.warnings]);
    if (options.json) for (const piece of planJson(plan, unplanned)) process.stdout.write(plainJson(piece));
    else if (options.dot) print(planDot(plan));
    else if (options.svg) print(svgOf(file, plan));
    else print(planPage(plan, spec, unplanned, lookAt(process.stdout)));
  },
});

function svgOf(file: string, plan: DagPlan): string {
  if (!plan.graph) return planSvg(plan);
  throw new WorldError("bad-request", file, "a graph of jobs is only drawn for Graphviz", {
    hint: `wms2 plan ${file} --dot | dot -Tsvg > plan.svg`,
  });
}

async function inputFiles(
  { name, work }: RequestSpec,
  list: string | undefined,
  { datasets }: Catalog,
): Promise<readonly InputFile[]> {
  if (!work.input) return [];
  if (list === undefined) {
    const opened = await datasets.open(work.input, { lumis: goesByLumis(work) });
    if (opened.ok) return packFiles(opened.value);
    throw new WorldError("dataset-unreadable", name, opened.error.message);
  }
  const found = parseFileList(listText(list), list);
  if (found.ok) return found.value;
  throw new WorldError("dataset-unreadable", name, found.error.message);
}

const listText = (file: string): string => readText(file, `the list ${file}`, { code: "dataset-unreadable" });

/** No run will have this id: a plan that is only looked at needs none of its own, and stays the same each time. */
const NO_DAG = "00000000-0000-0000-0000-000000000000" as DagId;

function factsFor(
  spec: RequestSpec,
  next: PlanFacts["next"],
  files: readonly InputFile[],
  config: Config,
  policy: PlanFacts["policy"],
): PlanFacts {
  const local = config["engine.local.sites"].map(({ name }) => name as SiteName);
  return {
    spec,
    dagId: NO_DAG,
    round: 0,
    files,
    next,
    usableSites: config["engine.kind"] === "local" && files.every(({ sites }) => sites.length === 0) ? local : null,
    policy,
  };
}

function planned(file: string, outcome: PlanOutcome, fill?: FillPlan): Extract<PlanOutcome, { kind: "planned" }> {
  if (outcome.kind === "planned") return outcome;
  const nothing = fill ? nothingDue(fill) : "there is nothing to do";
  const why = outcome.kind === "refused" ? outcome.refusal.message : nothing;
  const hint = fill
    ? `wms2 submit ${file}: products are made as their history arrives`
    : "change the request, or its input";
  throw new WorldError("bad-request", file, `${file} has no first round: ${why}`, { hint });
}
