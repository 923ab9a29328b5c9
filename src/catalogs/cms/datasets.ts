import { setMaxListeners } from "node:events";
import { WorldError } from "../../core/base/errors.ts";
import { err, ok } from "../../core/base/result.ts";
import type { SiteName } from "../../core/names.ts";
import { allowsBlock, type InputSpec } from "../../core/work.ts";
import type { InputFile, RunLumis } from "../../core/workflow.ts";
import { localDataset } from "../local-dataset.ts";
import { type DatasetCatalog, type FilePages, inPages } from "../port.ts";
import type { CmsServices, DbsBlock, DbsFile } from "./services.ts";

/** Which sites read which storage (RSE). */
export type SitesByRse = ReadonlyMap<string, readonly SiteName[]>;

/** Blocks read at once: DBS and Rucio answer a block in about the time of a round trip. */
const BLOCKS_AT_ONCE = 4;
/** Where a file without any replica is: no site has this name, so nothing is planned for it. */
const NOWHERE = "nowhere" as SiteName;

type Read = Pick<CmsServices, "dbs" | "rucio">;

/** Files, events and lumis as DBS has them, and where Rucio says that they can be read. */
export const makeCmsDatasets = ({ dbs, rucio }: Read, sitesOf: () => Promise<SitesByRse>): DatasetCatalog => ({
  async open(input, wanted, signal) {
    if (input.from !== "dataset") {
      const found = await localDataset(input, signal);
      return found.ok ? ok(inPages(found.value)) : found;
    }
    const { dataset } = input;
    if (!(await dbs.dataset(dataset))) {
      const message = `DBS has no dataset ${dataset} that is VALID or PRODUCTION`;
      return err({ code: "unknown-dataset", message, evidence: { dataset } });
    }
    const all = await dbs.blocks(dataset);
    const blocks = all.filter(({ name }) => allowsBlock(input.blocks, name)).sort(byName);
    if (blocks.every(({ files }) => files === 0)) return emptyDataset(input, dataset, all.length);
    const where = new Located(await sitesOf());
    return ok(blocksInOrder({ dbs, rucio }, blocks, wanted.lumis, where, signal));
  },

  async locate(dataset, signal) {
    const where = new Located(await sitesOf());
    let everywhere: readonly SiteName[] | null = null;
    const seen = new Set<readonly SiteName[]>();
    for await (const files of rucio.replicas(dataset, signal)) {
      for (const { rses } of files) {
        const sites = where.sitesOf(rses);
        if (seen.has(sites)) continue;
        seen.add(sites);
        everywhere = everywhere === null ? sites : everywhere.filter((site) => sites.includes(site));
      }
    }
    if (everywhere !== null) return ok(everywhere);
    return err({ code: "unknown-dataset", message: `Rucio knows no file of ${dataset}`, evidence: { dataset } });
  },
});

const byName = (a: DbsBlock, b: DbsBlock): number => (a.name < b.name ? -1 : 1);

function emptyDataset(input: InputSpec & { readonly from: "dataset" }, dataset: string, blocks: number) {
  const why = input.blocks && blocks > 0 ? ` in the blocks that the request's lists leave of its ${blocks}` : "";
  return err({
    code: "empty-dataset" as const,
    message: `${dataset} has no files${why}`,
    evidence: { dataset, blocks },
  });
}

/** Several blocks are under way, and come out in their order. Whoever stops reading stops them. */
async function* blocksInOrder(
  services: Read,
  blocks: readonly DbsBlock[],
  lumis: boolean,
  where: Located,
  signal: AbortSignal | undefined,
): FilePages {
  const over = new AbortController();
  const until = signal ? AbortSignal.any([signal, over.signal]) : over.signal;
  setMaxListeners(0, until); // every stream of every block listens, and all of them end with this
  const underWay: Promise<readonly InputFile[]>[] = [];
  try {
    for (const { name, files } of blocks) {
      if (files === 0) continue;
      const reading = readBlock(services, name, lumis, where, until);
      reading.catch(() => {}); // told when it is its turn
      underWay.push(reading);
      if (underWay.length >= BLOCKS_AT_ONCE) yield* inPages(await underWay.shift()!);
    }
    for (const reading of underWay) yield* inPages(await reading);
  } finally {
    over.abort(signal?.reason ?? new Error("nobody reads any more"));
  }
}

async function readBlock(
  { dbs, rucio }: Read,
  block: string,
  lumis: boolean,
  where: Located,
  signal: AbortSignal,
): Promise<readonly InputFile[]> {
  const [files, replicas, runs] = await Promise.all([
    collect(dbs.files(block, signal)),
    whereTheyAre(rucio.replicas(block, signal), where),
    lumis ? lumisByFile(dbs.lumis(block, signal)) : null,
  ]);
  return files.map(({ lfn, sizeBytes, events }) => ({
    lfn: plainName(lfn, block),
    path: lfn,
    sizeBytes,
    events,
    lumis: runs?.get(lfn)?.runs() ?? [],
    sites: replicas.get(lfn) ?? where.sitesOf([]),
  }));
}

async function collect(pages: AsyncIterable<readonly DbsFile[]>): Promise<readonly DbsFile[]> {
  const all: DbsFile[] = [];
  for await (const page of pages) for (const file of page) all.push(file);
  return all.sort((a, b) => (a.lfn < b.lfn ? -1 : 1));
}

async function whereTheyAre(pages: ReturnType<Read["rucio"]["replicas"]>, where: Located) {
  const found = new Map<string, readonly SiteName[]>();
  for await (const page of pages) for (const { lfn, rses } of page) found.set(lfn, where.sitesOf(rses));
  return found;
}

async function lumisByFile(pages: ReturnType<Read["dbs"]["lumis"]>): Promise<ReadonlyMap<string, FileLumis>> {
  const found = new Map<string, FileLumis>();
  let last = new FileLumis("");
  for await (const page of pages) {
    for (const { lfn, run, lumi } of page) {
      // Rows of one file follow each other.
      if (last.lfn !== lfn) {
        last = found.get(lfn) ?? new FileLumis(lfn);
        found.set(lfn, last);
      }
      last.add(run, lumi);
    }
  }
  return found;
}

/** One row for each lumi, in any order: runs and lumis come out ascending, each once. */
class FileLumis {
  readonly lfn: string;
  readonly #runs = new Map<number, number[]>();
  #last: { readonly run: number; readonly lumis: number[] } | null = null;

  constructor(lfn: string) {
    this.lfn = lfn;
  }

  add(run: number, lumi: number): void {
    if (this.#last?.run !== run) {
      this.#last = { run, lumis: this.#runs.get(run) ?? [] };
      this.#runs.set(run, this.#last.lumis);
    }
    this.#last.lumis.push(lumi);
  }

  runs(): readonly RunLumis[] {
    const runs = [...this.#runs].map(([run, lumis]) => ({ run, lumis: ascending(lumis) }));
    return runs.length > 1 ? runs.sort((a, b) => a.run - b.run) : runs;
  }
}

const ascending = (numbers: readonly number[]): readonly number[] =>
  numbers.every((number, at) => at === 0 || numbers[at - 1]! < number)
    ? numbers
    : [...new Set(numbers)].sort((a, b) => a - b);

/** The sites of a list of RSEs: one list for all files at the same ones. */
class Located {
  readonly #sitesByRse: SitesByRse;
  readonly #known = new Map<string, readonly SiteName[]>();

  constructor(sitesByRse: SitesByRse) {
    this.#sitesByRse = sitesByRse;
  }

  /** Storage that no site reads (tape) stands for itself: no job runs there, and the reason can name it. */
  sitesOf(rses: readonly string[]): readonly SiteName[] {
    const key = rses.join(",");
    const known = this.#known.get(key);
    if (known) return known;
    const sites = new Set(rses.flatMap((rse) => this.#sitesByRse.get(rse) ?? []));
    const alone = rses.length > 0 ? (rses as readonly SiteName[]) : [NOWHERE];
    const found = [...(sites.size > 0 ? sites : alone)].sort();
    this.#known.set(key, found);
    return found;
  }
}

/** They would end or forge a line wherever a name is printed or written. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what it looks for
const CONTROL = /[\u0000-\u001f\u007f-\u009f]/;

function plainName(lfn: string, block: string): string {
  if (!CONTROL.test(lfn)) return lfn;
  throw new WorldError("catalog-refused", block, `${JSON.stringify(lfn)} has a control character in its name`, {
    hint: "have the file invalidated in DBS, or leave its block out",
  });
}
