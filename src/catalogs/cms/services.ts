import type { IdentityCheck } from "../port.ts";

/**
 * What WMS2 asks of ReqMgr2, DBS, Rucio and CRIC, in the services' own terms. Every call may throw
 * WorldError("catalog-unreachable"): nobody answered, or not in full. What a service refuses is a value. All writes may be
 * repeated: what is there already is adopted.
 */
export interface CmsServices {
  readonly reqmgr2: ReqMgr2;
  readonly dbs: Dbs;
  readonly rucio: Rucio;
  readonly cric: Cric;
  /** Is there any answer? For health and `wms2 doctor`: service → null, or what is wrong. */
  ping(): Promise<Readonly<Record<ServiceName, string | null>>>;
  identity(): Promise<IdentityCheck>;
  close(): Promise<void>;
}

const SERVICE_NAMES = ["reqmgr2", "dbs", "rucio", "cric"] as const;
export type ServiceName = (typeof SERVICE_NAMES)[number];

/** The service understood and said no: asking again alone does not help. */
export interface Refusal {
  readonly kind: "refused";
  /** DBS's number, Rucio's ExceptionClass, an HTTP status: as the service calls it. */
  readonly code: string;
  readonly message: string;
  /** What a person can do. */
  readonly fix: string;
}
export type Done = { readonly kind: "done"; readonly adopted: boolean } | Refusal;

export interface ReqMgr2 {
  /** null: there is none of that name. */
  request(name: string): Promise<Readonly<Record<string, unknown>> | null>;
  /** The names of requests in that status, of this team, of these campaigns; null: of any. */
  names(filter: {
    status: string;
    team: string | null;
    campaigns: readonly string[] | null;
  }): Promise<readonly string[]>;
  setStatus(name: string, status: string): Promise<Done>;
  /** The configuration that cmsRun is to run, as text of Python; null: there is none of that id. */
  configuration(configCacheId: string): Promise<string | null>;
}

export interface Dbs {
  /** null: there is none, or not to be used (only VALID and PRODUCTION are). */
  dataset(name: string): Promise<{ readonly name: string; readonly accessType: string } | null>;
  blocks(dataset: string): Promise<readonly DbsBlock[]>;
  block(name: string): Promise<DbsBlock | null>;
  /** The valid files of a block, some hundred at a time. */
  files(block: string, signal?: AbortSignal): AsyncIterable<readonly DbsFile[]>;
  lumis(block: string, signal?: AbortSignal): AsyncIterable<readonly DbsLumi[]>;
  /** Names of the parents of a dataset's files are not asked for. */
  ensureDataset(dataset: NewDbsDataset): Promise<Done>;
  openBlock(name: string, originRse: string): Promise<Done>;
  /** Files of one open block. Known with the same size and checksum: adopted; with others: refused. */
  addFiles(block: string, files: readonly NewDbsFile[]): Promise<Done>;
  /** Closed, and seen to be closed with so many files. */
  closeBlock(name: string, files: number): Promise<Done>;
  /** Exactly one: DBS takes a list for "all files of the instance". */
  invalidateFile(lfn: string): Promise<Done>;
}

export interface DbsBlock {
  readonly name: string;
  readonly files: number;
  readonly sizeBytes: number;
  readonly isOpen: boolean;
  readonly originRse: string;
}
export interface DbsFile {
  readonly lfn: string;
  readonly sizeBytes: number;
  readonly events: number;
}
export interface DbsLumi {
  readonly lfn: string;
  readonly run: number;
  readonly lumi: number;
  readonly events: number | null;
}

/** What DBS wants to know of a dataset before its first block. */
export interface NewDbsDataset {
  readonly dataset: string;
  readonly primaryType: "mc" | "data";
  readonly acquisitionEra: string;
  readonly processingVersion: number;
  readonly accessType: "PRODUCTION" | "VALID";
  readonly prepId: string | null;
  readonly config: OutputConfig;
}
export interface OutputConfig {
  readonly release: string;
  readonly psetHash: string;
  readonly globalTag: string;
  readonly outputModule: string;
}
export interface NewDbsFile {
  readonly lfn: string;
  readonly dataset: string;
  readonly sizeBytes: number;
  readonly events: number;
  /** The POSIX CRC, as digits. */
  readonly cksum: string;
  readonly adler32: string;
  readonly lumis: readonly { readonly run: number; readonly lumi: number }[];
  readonly parents: readonly string[];
  readonly config: OutputConfig;
}

/** All of it in scope cms: datasets of CMS are containers here, blocks are datasets. */
export interface Rucio {
  /**
   * Of each file in this block or container: the RSEs where it can be read. Rucio's lists have no end that could be
   * missing: whoever needs all files compares with DBS.
   */
  replicas(
    name: string,
    signal?: AbortSignal,
  ): AsyncIterable<readonly { readonly lfn: string; readonly rses: readonly string[] }[]>;
  ensureBlock(block: string): Promise<Done>;
  /** The block is one of this container, which is made where it is missing. */
  ensureInContainer(block: string, container: string): Promise<Done>;
  /** Files and their replicas at this RSE become known, and part of the block. */
  addFiles(
    block: string,
    rse: string,
    files: readonly { readonly lfn: string; readonly sizeBytes: number; readonly adler32: string }[],
  ): Promise<Done>;
  closeBlock(block: string): Promise<Done>;
  /** A rule that is there already is adopted, and revived if it was about to go. */
  ensureRule(
    rule: NewRule,
  ): Promise<{ readonly kind: "done"; readonly adopted: boolean; readonly id: string } | Refusal>;
  /** Unlocks it first where it has to. */
  deleteRule(id: string): Promise<Done>;
  /** The RSEs an expression stands for; empty: none. */
  rses(expression: string): Promise<readonly string[]>;
}

export interface NewRule {
  readonly block: string;
  readonly rseExpression: string;
  readonly lifetimeSec: number | null;
  readonly activity: string;
  readonly comment: string;
}

export interface Cric {
  /** Which storage each processing site reads: all rows of the data-processing preset. */
  storage(): Promise<readonly { readonly site: string; readonly rse: string }[]>;
  /** Every processing site, whether or not it has storage. */
  sites(): Promise<readonly string[]>;
  /** The text at an address of the site status, which is at CERN too but not in CRIC. */
  status(url: string): Promise<string>;
}
