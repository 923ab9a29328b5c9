import { CMSRUN, type CmsStep } from "./cms.ts";
import type { RequestSpec } from "./request.ts";

/** Whether its jobs run CMS's software, and not a stand-in or commands of its own. */
export const runsCmssw = ({ cms, steps }: Pick<RequestSpec, "cms" | "steps">): boolean =>
  cms !== undefined && steps.some(({ argv }) => argv[0] === CMSRUN);

/** Where in a job's working directory the configuration of a step is, and the list of a dataset's files. */
export const configurationPath = ({ name, pset }: Pick<CmsStep, "name" | "pset">): string => pset ?? `cmssw/${name}.py`;
export const fileListPath = (dataset: string): string => `cmssw/${dataset.slice(1).replaceAll("/", ".")}.txt`;

/** What jobs need beside what was submitted: fetched once, then one of the request's files. */
export type NeededFile = { readonly path: string } & (
  | { readonly from: "config-cache"; readonly id: string }
  | { readonly from: "dataset"; readonly dataset: string }
);

export function neededFiles(spec: Pick<RequestSpec, "cms" | "steps">): readonly NeededFile[] {
  if (!spec.cms || !runsCmssw(spec)) return [];
  const needed = spec.cms.steps.flatMap((step): NeededFile[] => {
    const datasets = [step.pileup.mc, step.pileup.data].filter((dataset) => dataset !== null);
    const path = configurationPath(step);
    return [
      ...(step.configCacheId !== null && !step.pset
        ? [{ path, from: "config-cache", id: step.configCacheId } as const]
        : []),
      ...datasets.map((dataset) => ({ path: fileListPath(dataset), from: "dataset", dataset }) as const),
    ];
  });
  return [...new Map(needed.map((file) => [file.path, file])).values()];
}
