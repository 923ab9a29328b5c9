/**
 * What CMS's software and services must know of a request, beside what every request has. Read once by intake; the
 * payload (cmsRun), the registration of outputs (DBS, Rucio) and their names go by this and never by the document.
 */
export interface CmsSpec {
  readonly requestType: "StepChain" | "ReReco";
  readonly prepId: string | null;
  /** Of the primary dataset: generated, or taken from the detector. */
  readonly primaryType: "mc" | "data";
  /** What DBS is to call new datasets. */
  readonly accessType: "PRODUCTION" | "VALID";
  /** "/store/mc": merged files are called below it. */
  readonly mergedLfnBase: string;
  readonly unmergedLfnBase: string;
  /** Pile-up events are taken in the order of the files, so that a job's rerun reads the same ones. */
  readonly deterministicPileup: boolean;
  /** One for each of the request's steps, in their order and by their names. */
  readonly steps: readonly CmsStep[];
  /** One for each of the request's outputs, by their names. */
  readonly outputs: readonly CmsOutput[];
}

/** One run of cmsRun. */
export interface CmsStep {
  readonly name: string;
  /** "CMSSW_14_0_1". Release, architectures and tag are empty only where the simulator runs and nobody said. */
  readonly release: string;
  /** The first is the one to use unless the machine cannot. */
  readonly scramArchs: readonly string[];
  readonly globalTag: string;
  /** null: the document names none; the payload needs a configuration from elsewhere. */
  readonly configCacheId: string | null;
  /** The file of the request that is its configuration; absent: it comes from the config cache. */
  readonly pset?: string;
  /** The earlier step whose file it reads, and by which output module that was written; null: the first. */
  readonly input: { readonly step: string; readonly module: string } | null;
  readonly cores: number;
  readonly memoryMb: number;
  /** 0: as many as cores. */
  readonly eventStreams: number;
  /** The datasets whose events are mixed in; they stand in `secondary` of the work too. */
  readonly pileup: { readonly mc: string | null; readonly data: string | null };
  readonly seeding: "AutomaticSeeding" | "ReproducibleSeeding";
  /** The first step reads LHE files instead of making events from nothing. */
  readonly lheInput: boolean;
}

/** The worker's programs that run a step and merge an output with CMS's software; named by what they run. */
export const CMSRUN = "wms2/cmsrun";
export const CMSMERGE = "wms2/cmsmerge";

/** A kept output: which module of which step writes it. */
export interface CmsOutput {
  /** Of the request's output. */
  readonly name: string;
  readonly step: string;
  /** null: the one of this tier and filter; the configuration says, no document does. */
  readonly module: string | null;
  readonly tier: string;
  /** The module's filterName, a part of the dataset's name; absent: none. */
  readonly filter?: string;
}
