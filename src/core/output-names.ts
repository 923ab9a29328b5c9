import { createHash } from "node:crypto";
import type { OutputSpec, RequestSpec } from "./request.ts";

export type NamedRequest = Pick<
  RequestSpec,
  "name" | "work" | "acquisitionEra" | "processingString" | "processingVersion"
>;

/**
 * /Primary/Era-String-vN/TIER, or Era-FILTER-String-vN. The primary part is that of the input dataset; a request without one gives its own
 * name. The tier is the output's name in capitals. An output may have a naming of its own.
 */
export function datasetName(spec: NamedRequest, { name, naming = {} }: Pick<OutputSpec, "name" | "naming">): string {
  const { input } = spec.work;
  const primary = input?.from === "dataset" ? input.dataset.split("/").find(Boolean) : undefined;
  const processed = [naming.era ?? spec.acquisitionEra, naming.filter, naming.string ?? spec.processingString].flatMap(
    (part) => part || [],
  );
  const version = spec.processingVersion + (naming.versionOffset ?? 0);
  const tier = clean(naming.tier ?? name).toUpperCase();
  return `/${clean(naming.primary ?? primary ?? spec.name)}/${[...processed.map(clean), `v${version}`].join("-")}/${tier}`;
}

const clean = (part: string): string => part.replaceAll(/[^A-Za-z0-9_.-]/g, "_");

const LFN_PREFIX = "/store/wms2";

type Placed = Pick<OutputSpec, "name" | "file" | "merge" | "lfnBase"> & { readonly dataset: string };

/**
 * Where the merged file of an output goes: below the request's own folder of the storage, and among all files. Unmerged
 * outputs keep one file per job: a directory instead of a file.
 */
export function outputPaths(
  request: string,
  unit: string,
  { name, file, merge, lfnBase, dataset }: Placed,
): { readonly path: string; readonly lfn: string } {
  const path = `${name}/${unit}${merge.how === "none" ? "" : extension(file)}`;
  const lfn = lfnBase ? cmsLfn(lfnBase, dataset, request, unit) : `${LFN_PREFIX}/${request}/${path}`;
  return { path, lfn };
}

/**
 * <base>/<era>/<primary>/<tier>/<string>-v<N>/<a thousand units>/<unique>.root, as DBS wants files to be called. Unique
 * among all requests, also those that write into the same dataset, and the same whenever it is asked for again.
 */
function cmsLfn(base: string, dataset: string, request: string, unit: string): string {
  const [, primary = "", processed = "", tier = ""] = dataset.split("/");
  const [era = "", ...rest] = processed.split("-");
  const thousand = Math.floor(Number(/\d+$/.exec(unit)?.[0] ?? 0) / 1000);
  const hash = createHash("sha256").update(`${request}\n${unit}\n${dataset}`).digest("hex");
  const unique = [hash.slice(0, 8), hash.slice(8, 12), hash.slice(12, 16), hash.slice(16, 20), hash.slice(20, 32)];
  const folder = `${base}/${era}/${primary}/${tier}/${rest.join("-")}/${String(thousand).padStart(5, "0")}`;
  return `${folder}/${unique.join("-")}.root`;
}

/** ".csv", or ".csv.gz" for what is packed; "" when there is none. */
function extension(file: string): string {
  return /(\.[A-Za-z0-9]+)?\.(gz|bz2|xz|zst)$|\.[A-Za-z0-9]+$/.exec(file.slice(1))?.[0] ?? "";
}
