import type { Result } from "../base/result.ts";
import type { SiteName } from "../domain/names.ts";
import type { InputSpec } from "../domain/work.ts";
import type { FinishedUnit, InputFile } from "../domain/workflow.ts";

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
  /** null: requests are handed in here and nowhere else. */
  readonly requests: RequestCatalog | null;
  /** null: it is all on this machine. */
  readonly services: CatalogServices | null;
}

interface CatalogServices {
  /** By name: null, or why it does not answer. */
  ping(): Promise<Readonly<Record<string, string | null>>>;
  close(): Promise<void>;
}

interface DatasetCatalog {
  /**
   * All files of an input, each once, in a stable order. Their lumis only where asked for. What fails on the way, and the
   * reason of `signal`, is thrown while they are read: nothing that came before is then to be used.
   */
  open(
    input: InputSpec,
    wanted: { readonly lumis: boolean },
    signal?: AbortSignal,
  ): Promise<Result<FilePages, DatasetProblem>>;
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

interface OutputCatalog {
  /**
   * Makes one unit's outputs known, in the block it was planned into. By LFN: known with the same size and checksum is
   * adopted, known with others is a conflict that only a person can resolve.
   */
  register(request: string, unit: RegisteredUnit): Promise<RegisterOutcome>;
  /** null: each file stands alone, and nothing is archived. */
  readonly blocks: BlockCatalog | null;
}

type RegisteredUnit = Pick<FinishedUnit, "name" | "block" | "site" | "outputs">;

export type RegisterOutcome =
  | { readonly kind: "registered"; readonly adopted: number }
  | { readonly kind: "conflict"; readonly lfn: string; readonly message: string }
  /** A file that was to be registered is not there (yet). */
  | { readonly kind: "missing"; readonly path: string };

/** What is done with blocks as a whole, once all their units are registered. */
interface BlockCatalog {
  /** No file will come any more. */
  close(block: OutputBlock): Promise<void>;
  /** On to tape. waiting: it was asked for; ask again later. */
  archive(block: OutputBlock): Promise<{ readonly kind: "archived" | "waiting" }>;
  /** None of its files is to be used any more. */
  invalidate(block: OutputBlock): Promise<void>;
}

interface OutputBlock {
  readonly request: string;
  readonly index: number;
  readonly dataset: string;
}

interface SiteCatalog {
  names(): Promise<readonly SiteName[]>;
}

interface RequestCatalog {
  /** The document of a request, as intake reads it; null: there is none of that name. */
  document(name: string): Promise<unknown>;
  /** The configuration of a step, as text; null: there is none of that id. */
  configuration(id: string): Promise<string | null>;
}
