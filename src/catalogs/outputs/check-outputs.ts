import { isProcessingNodeName } from "../../core/names.ts";
import { datasetName, outputPaths } from "../../core/output-names.ts";
import type { RequestSpec } from "../../core/request.ts";
import type { OutputFile } from "../../core/workflow.ts";
import type { MergeOutput } from "./merge-output.ts";

/** One kept output of a unit, as it was planned; `each`: a file per job, with this ending, below the path. */
export interface ExpectedOutput extends Pick<OutputFile, "output" | "dataset" | "lfn" | "path"> {
  readonly each: string | null;
}

export const expectedOutputs = (spec: RequestSpec, unit: string, mergedDir: string): readonly ExpectedOutput[] =>
  spec.outputs
    .filter(({ keep }) => keep)
    .map((output) => {
      const dataset = datasetName(spec, output);
      const { path, lfn } = outputPaths(spec.name, unit, { ...output, dataset });
      const each = output.merge.how === "none" ? output.file : null;
      return { output: output.name, dataset, lfn, path: `${mergedDir}/${path}`, each };
    });

/** Bytes of a merged file. absent: the catalog will say so, and ask again · foreign: a link, or no plain file. */
export type MergedSize = number | "absent" | "foreign";

/** What is known without asking the job: its plan, and what lies on the storage. */
export interface OutputFacts {
  readonly expected: readonly ExpectedOutput[];
  readonly block: number | null;
  /** node → LFNs of its inputs; null: unknown any more. */
  readonly inputs: ReadonlyMap<string, readonly string[]> | null;
  /** Where the engine ran the merge; null: it does not say. */
  readonly site: string | null;
  readonly sizes: ReadonlyMap<string, MergedSize>;
}

/**
 * What a unit says it made was written by a job, and anybody may be in a job: it must be what was planned, and be
 * there. null: it is; else what is not.
 */
export function checkOutputs({ block, site, outputs }: MergeOutput, facts: OutputFacts): string | null {
  if (facts.block !== null && block !== facts.block) return `it names block ${block}, and ${facts.block} was planned`;
  if (facts.site !== null && site !== null && site !== facts.site)
    return `it says that it was at ${site}, and it was at ${facts.site}`;
  const all = new Set([...(facts.inputs?.values() ?? [])].flat());
  const seen = new Set<string>();
  for (const made of outputs) {
    const { output, dataset, lfn, path, sizeBytes, parents } = made;
    const planned = facts.expected.find((one) => one.output === output);
    if (!planned) return `it names an output ${output}, which was not planned`;
    const ending = planned.each === null ? "" : lfn.slice(planned.lfn.length);
    const isName = planned.each === null || isPiece(ending, planned.each);
    if (!isName || lfn !== planned.lfn + ending) return `it calls ${output} ${lfn}, and ${planned.lfn} was planned`;
    if (path !== planned.path + ending) return `it puts ${output} at ${path}, and ${planned.path} was planned`;
    if (dataset !== planned.dataset) return `it puts ${output} into ${dataset}, and ${planned.dataset} was planned`;
    if (seen.has(lfn)) return `it names ${lfn} twice`;
    const inputs = planned.each === null ? all : new Set(facts.inputs?.get(pieceNode(ending, planned.each)));
    if (facts.inputs !== null && !isSame(parents, inputs))
      return `it names ${parents.length} parents of ${lfn}, which are not its ${inputs.size} planned inputs`;
    const size = facts.sizes.get(path) ?? "absent";
    if (size === "foreign") return `${path} is not there as a plain file`;
    if (size !== "absent" && size !== sizeBytes)
      return `it says that ${path} has ${sizeBytes} bytes, and it has ${size}`;
    seen.add(lfn);
  }
  const missing = facts.expected.find(({ output }) => !outputs.some((made) => made.output === output));
  return missing ? `it does not name ${missing.output}` : null;
}

const isSame = (list: readonly string[], set: ReadonlySet<string>): boolean =>
  list.length === set.size && new Set(list).size === set.size && list.every((one) => set.has(one));

/** "/proc_000007.hits.csv" */
const isPiece = (ending: string, file: string): boolean =>
  ending.startsWith("/") && ending.endsWith(`.${file}`) && isProcessingNodeName(pieceNode(ending, file));
const pieceNode = (ending: string, file: string): string => ending.slice(1, -file.length - 1);
