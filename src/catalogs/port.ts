import type { Result } from "../core/base/result.ts";
import type { SiteName, UnitName } from "../core/names.ts";
import type { OutputBlockFacts, OutputStep, OutputsEnd, UnitFiles } from "../core/output-block.ts";
import type { RequestSpec } from "../core/request.ts";
import type { InputSpec } from "../core/work.ts";
import type { InputFile } from "../core/workflow.ts";

/**
 * The outside systems that know datasets, outputs, sites and requests. What a catalog does not have is null: nobody
 * makes it up. All calls may throw WorldError("catalog-unreachable") and are then made again by a later pass, so each is
 * repeatable; all other outcomes are values.
 */
export interface Catalog {
  readonly name: "local" | "cms";
  readonly datasets: DatasetCatalog;
  readonly outputs: OutputCatalog;
  /** null: only the engine and the operators know of sites. */
  readonly sites: SiteCatalog | null;
  /** null: requests are submitted here and nowhere else. */
  readonly requests: RequestCatalog | null;
  /** null: it is all on this machine. */
  readonly services: CatalogServices | null;
}

interface CatalogServices {
  /** By name: null, or why it does not answer. */
  ping(): Promise<Readonly<Record<string, string | null>>>;
  /** What we show to them: can it be used, and for how long? */
  identity(): Promise<IdentityCheck>;
  close(): Promise<void>;
}

export interface IdentityCheck {
  readonly result: "ok" | "warn" | "fail";
  readonly message: string;
  readonly fix: string;
}

export interface DatasetCatalog {
  /**
   * All files of an input, each once, in a stable order. Their lumis only where asked for. What fails on the way, and the
   * reason of `signal`, is thrown while they are read: nothing that came before is then to be used.
   */
  open(
    input: InputSpec,
    wanted: { readonly lumis: boolean },
    signal?: AbortSignal,
  ): Promise<Result<FilePages, DatasetProblem>>;
  /** The sites where every file of a dataset can be read; null: this catalog does not know where anything is. */
  locate(dataset: string, signal?: AbortSignal): Promise<Result<readonly SiteName[] | null, DatasetProblem>>;
}
export type FilePages = AsyncIterable<readonly InputFile[]>;

export async function* inPages(files: readonly InputFile[]): FilePages {
  for (let at = 0; at < files.length; at += FILES_PER_PAGE) yield files.slice(at, at + FILES_PER_PAGE);
}
const FILES_PER_PAGE = 5_000;

export interface DatasetProblem {
  readonly code: "unknown-dataset" | "empty-dataset" | "unreadable";
  readonly message: string;
  readonly evidence: Readonly<Record<string, unknown>>;
}

/**
 * Where outputs are made known: a list of steps for each block of files, and what takes them. Who takes which step when
 * is decided elsewhere (docs/adr/0014-output-ledger.md). Every step may be taken again, after a crash or a lost answer:
 * what is there already is adopted.
 */
export interface OutputCatalog {
  /** In this order. What is done for single units comes before what waits for all of them. */
  readonly steps: readonly OutputStep[];
  /** What a block is when all are taken. archived: a rule keeps it on tape · on_disk: there is no tape here. */
  readonly finally: OutputsEnd;
  /** each-pass: asked again at once, and a person after some refusals · backoff: ever less often, for days. */
  readonly retries: "each-pass" | "backoff";
  run(step: OutputStep, block: CatalogBlock, units: readonly UnitFiles[]): Promise<StepOutcome>;
  /** Withdrawing, first part: the rules of a block, also one that may have been made and has no receipt. */
  withdrawRules(block: CatalogBlock): Promise<StepOutcome>;
  /** Second part, file after file. `known`: surely made known by us; of the others, only what is found in the block. */
  withdrawFiles(block: CatalogBlock, units: readonly UnitFiles[], known: boolean): Promise<StepOutcome>;
}

export interface CatalogBlock extends OutputBlockFacts {
  readonly spec: RequestSpec;
}

export interface StepRefusal {
  /** As the service calls it. */
  readonly code: string;
  readonly message: string;
  /** What a person can do. */
  readonly fix: string;
}
export type StepOutcome =
  /** Taken, but for these units of an each-unit step. */
  | { readonly kind: "done"; readonly receipt: string; readonly refused?: readonly RefusedUnit[] }
  | ({ readonly kind: "refused" } & StepRefusal);
export type RefusedUnit = StepRefusal & { readonly unit: UnitName };

export interface SiteCatalog {
  /** Every site where jobs may run, with the storage they read there. */
  list(): Promise<readonly { readonly name: SiteName; readonly rses: readonly string[] }[]>;
  /** The text of the site status source; null: there is none. */
  readonly statuses: (() => Promise<string>) | null;
}

export interface RequestCatalog {
  /** Who that is, for people. */
  readonly name: "reqmgr2";
  /** The document of a request, as intake reads it; null: there is none of that name. */
  document(name: string): Promise<Readonly<Record<string, unknown>> | null>;
  /** The configuration of a step, as text; null: there is none of that id. */
  configuration(id: string): Promise<string | null>;
  /** Names of requests that wait there to be taken by this installation. */
  assigned(): Promise<readonly string[]>;
  /** A status that it has already is adopted. refused: in words, with what a person can do. */
  setStatus(name: string, status: string): Promise<{ kind: "done" } | { kind: "refused"; message: string }>;
}
