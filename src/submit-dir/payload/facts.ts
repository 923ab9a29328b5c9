import type { CmsSpec, CmsStep } from "../../core/cms.ts";
import { configurationPath, fileListPath, runsCmssw } from "../../core/cms-files.ts";
import type { RequestSpec } from "../../core/request.ts";

/** What an installation says of CMS's software and of the way to a site's storage. */
interface Installation {
  /** cmsset_default.sh, as a worker sees it; null: there is no such software. */
  readonly cmsset: string | null;
  /** ScramArch (may end in *) → the command that runs what follows it in a container. */
  readonly containers: Readonly<Record<string, readonly string[]>>;
  /** Site (* for all others) → the command that copies a file to where it is to be: COMMAND… SOURCE TARGET. */
  readonly stageOut: Readonly<Record<string, readonly string[]>>;
}

/**
 * The text of wms2/facts, which the worker's programs read without evaluating anything: a fact a line, words between tabs.
 * "": there is nothing to say.
 */
export function workerFacts(spec: RequestSpec, { cmsset, containers, stageOut }: Installation): string {
  const lines = Object.entries(stageOut).map(([site, words]) => ["stage-out", site, ...words]);
  if (spec.cms && runsCmssw(spec)) {
    if (cmsset) lines.push(["cmsset", cmsset]);
    lines.push(...Object.entries(containers).map(([arch, words]) => ["container", arch, ...words]));
    for (const step of spec.cms.steps)
      lines.push(["step", step.name, ...softwareOf(step), JSON.stringify(stepFacts(spec, spec.cms, step))]);
    for (const { name, step, tier } of spec.cms.outputs) {
      const by = spec.cms.steps.find((one) => one.name === step);
      if (by) lines.push(["merge", name, ...softwareOf(by), JSON.stringify({ merge: tier })]);
    }
  }
  return lines.map((words) => `${words.map(oneLine).join("\t")}\n`).join("");
}

const oneLine = (word: string): string => word.replaceAll(/[\t\n]/g, " ");
const softwareOf = ({ release, scramArchs }: CmsStep): [string, string] => [release, scramArchs.join(" ")];

/** What pset.py goes by. */
function stepFacts({ work, outputs }: RequestSpec, cms: CmsSpec, step: CmsStep) {
  const fileOf = (name: string) => outputs.find((output) => output.name === name)?.file;
  const { mc, data } = step.pileup;
  return {
    name: step.name,
    pset: configurationPath(step),
    input: step.input,
    cores: step.cores,
    streams: step.eventStreams,
    seeding: step.seeding,
    lhe: step.lheInput,
    eventsPerLumi: work.eventsPerLumi ?? null,
    deterministicPileup: cms.deterministicPileup,
    pileup: { mc: mc && fileListPath(mc), data: data && fileListPath(data) },
    outputs: cms.outputs
      .filter((output) => output.step === step.name)
      .map(({ name, module, tier, filter = "" }) => ({ file: fileOf(name), module, tier, filter })),
  };
}
