import type { Brand } from "./base/brand.ts";

/**
 * Names that reach files, DAGs or shells. Everything else (LFNs, commands, site names) travels in JSON or is
 * quoted by one function. DAGMan also refuses its own keywords as node names; ours never collide with them.
 */
export const NAME_PATTERN = /^[A-Za-z0-9][A-Za-z0-9_.-]{0,199}$/;
export const NAME_RULE = "a letter or digit, then letters, digits, '_', '.', '-'; at most 200 characters";

/** Site names become part of ClassAd strings and include files, so they are held to the same alphabet. */
export const SITE_PATTERN = /^[A-Za-z0-9][A-Za-z0-9_.-]{0,99}$/;

export type RequestName = Brand<string, "RequestName">;
export type SiteName = Brand<string, "SiteName">;
export type WorkflowId = Brand<string, "WorkflowId">;
export type DagId = Brand<string, "DagId">;
/** mg_000000: a merge group, one SUBDAG node of the workflow's DAG. job_000000: a job of a graph, which is a unit of its own. */
export type UnitName = Brand<string, "UnitName">;
/** landing, proc_000000, merge, cleanup: a node within its unit. The only node of a job_000000 has its name. */
export type NodeName = Brand<string, "NodeName">;

export const isName = (text: string): boolean => NAME_PATTERN.test(text);
export const isSiteName = (text: string): text is SiteName => SITE_PATTERN.test(text);

const padded = (index: number): string => String(index).padStart(6, "0");
export const unitName = (index: number): UnitName => `mg_${padded(index)}` as UnitName;
export const processingNodeName = (index: number): NodeName => `proc_${padded(index)}` as NodeName;
export const jobName = (index: number): UnitName & NodeName => `job_${padded(index)}` as UnitName & NodeName;
export const isUnitName = (text: string): text is UnitName => /^(?:mg|job)_\d{6,}$/.test(text);
/** The number in the name of a graph's job; null: it is no such name. */
export const jobIndex = (name: string): number | null => {
  const digits = /^job_(\d{6,})$/.exec(name)?.[1];
  return digits === undefined ? null : Number(digits);
};
export const isProcessingNodeName = (text: string): text is NodeName => /^proc_\d{6,}$/.test(text);

/** The key by which an engine is asked about a whole tree of jobs. */
export const batchName = (dag: DagId): string => `wms2-${dag}`;

/** In the spool, above the submit directories: a server that starts says here where it is reached. */
export const API_URL_FILE = ".api-url";
