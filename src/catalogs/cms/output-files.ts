import { datasetName } from "../../core/output-names.ts";
import type { RequestSpec } from "../../core/request.ts";
import { makesEvents } from "../../core/work.ts";
import type { OutputFile } from "../../core/workflow.ts";
import type { StepRefusal } from "../port.ts";
import type { NewDbsDataset, NewDbsFile, OutputConfig } from "./services.ts";

/** What DBS wants to know of datasets and files, from what a request and its jobs say. */

const text = (value: unknown): string | null => (typeof value === "string" && value !== "" ? value : null);

/** Era and version are parts of its name: /Primary/Era-String-vN/TIER. */
export function dbsDataset(spec: RequestSpec, dataset: string): NewDbsDataset | StepRefusal {
  const processed = dataset.split("/")[2] ?? "";
  const parts = /^([^-]+)-(?:.*-)?v(\d+)$/.exec(processed);
  if (!parts?.[1]) {
    const fix = "give the request its acquisition era: restart --from FILE, with AcquisitionEra";
    return { code: "no-era", message: `${dataset} names no acquisition era, and DBS takes none without`, fix };
  }
  return {
    dataset,
    primaryType: spec.cms?.primaryType ?? (makesEvents(spec.work) ? "mc" : "data"),
    acquisitionEra: parts[1],
    processingVersion: Number(parts[2]),
    accessType: spec.cms?.accessType ?? "PRODUCTION",
    prepId: spec.cms?.prepId ?? text(spec.metadata.prep_id),
    config: datasetConfig(spec, dataset),
  };
}

/** How it was made. DBS wants every field: what nobody knows is said to be unknown. */
export function datasetConfig(spec: RequestSpec, dataset: string): OutputConfig {
  const { cms, metadata, outputs } = spec;
  const output = outputs.find((one) => datasetName(spec, one) === dataset);
  const written = cms?.outputs.find(({ name }) => name === output?.name);
  const step = cms?.steps.find(({ name }) => name === written?.step);
  return {
    release: step?.release ?? text(metadata.cmssw_version) ?? "unknown",
    psetHash: text(metadata.pset_hash) ?? "unknown",
    globalTag: step?.globalTag ?? text(metadata.global_tag) ?? "unknown",
    outputModule: written?.module ?? output?.name ?? "Merged",
  };
}

export const adler32Of = ({ adler32 = "" }: OutputFile): string => adler32.padStart(8, "0");

export const dbsFile = (file: OutputFile, config: OutputConfig): NewDbsFile => ({
  lfn: file.lfn,
  dataset: file.dataset,
  sizeBytes: file.sizeBytes,
  events: file.events ?? 0,
  cksum: file.checksum.replace(/^cksum:/, ""),
  adler32: adler32Of(file),
  lumis: Object.entries(file.runLumis ?? {}).flatMap(([run, ranges]) =>
    ranges.flatMap(([first, last]) =>
      Array.from({ length: last - first + 1 }, (_, at) => ({ run: Number(run), lumi: first + at })),
    ),
  ),
  parents: file.parents,
  config,
});
