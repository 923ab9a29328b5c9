import { inSlices } from "../core/base/slices.ts";
import type { JobToRun } from "../core/credit.ts";
import { type DagId, jobIndex, type RequestName } from "../core/names.ts";
import type { RequestFile, RequestRecord, RequestSpec } from "../core/request.ts";
import type { FileStamp, JobProof, Workflow } from "../core/workflow.ts";
import { type FilesThatDecide, kindOf } from "../kinds/kind.ts";
import type { Ports } from "./ports.ts";

/** What an earlier version of a request did that need not be done again. */
export interface EarlierWork {
  /** By job index. */
  readonly jobs: readonly JobToRun[];
  /** By the names people gave them: of all that finished. */
  readonly proofs: ReadonlyMap<string, JobProof>;
  /** Where one of them ran; null: none did. */
  readonly dagId: DagId | null;
}

/** null: its kind begins every version at the beginning. */
export async function gatherEarlierWork(
  ports: Ports,
  { work }: Pick<RequestSpec, "work">,
  attached: readonly RequestFile[],
  previous: RequestName | null,
): Promise<EarlierWork | null> {
  const { credits } = kindOf(ports.kinds, work);
  if (!credits) return null;
  const known = previous ? await ports.store.requests.get(previous) : null;
  // Of the same name in another folder: other files, of which nothing is known here.
  const before = known?.spec.work.directory === work.directory ? known : null;
  const workflow = before && (await ports.store.workflows.forRequest(before.spec.name));
  const proofs = new Map<string, JobProof>();
  let ranIn: DagId | null = null;
  if (workflow)
    for await (const page of ports.store.units.proofs(workflow.id))
      for (const { proof, dagId } of page) {
        proofs.set(proof.name, proof);
        ranIn = dagId;
      }
  const files = await inSlices(credits.files(work));
  const stamps = new Map(proofs.size > 0 ? await stampsOf(ports, files) : []);
  const seen = (path: string) => stamps.get(path) ?? null;
  if (files.byContents)
    await readDoubtful(ports, files, stamps, await inSlices(credits.doubtful(proofs.values(), seen)));
  const jobs = await inSlices(
    credits.decide({
      work,
      attached: new Map(attached.map(({ path, sha256 }) => [path, sha256])),
      before: { work: before?.spec.work ?? null, proofs },
      seen,
    }),
  );
  return { jobs, proofs, dagId: ranIn };
}

type Spooling = Pick<Ports, "spool">;

/** As they are now. What a folder has is compared with what its maker left there, or what it had when its readers were planned. */
async function stampsOf({ spool }: Spooling, files: FilesThatDecide): Promise<ReadonlyMap<string, FileStamp>> {
  const stamps = new Map(await spool.stamps(files.directory, files.paths));
  for (const [path, stamp] of await lookInto({ spool }, files, foldersIn(stamps), false)) stamps.set(path, stamp);
  return stamps;
}

const foldersIn = (stamps: ReadonlyMap<string, FileStamp>): readonly string[] =>
  [...stamps.values()].flatMap(({ path, listing }) => (listing === undefined ? [] : [path]));

async function lookInto(
  { spool }: Spooling,
  { directory, made }: FilesThatDecide,
  folders: readonly string[],
  byContents: boolean,
): Promise<ReadonlyMap<string, FileStamp>> {
  const question = { directory, byContents };
  const [own, others] = [folders.filter((path) => made.has(path)), folders.filter((path) => !made.has(path))];
  const left = await spool.folderStamps({ ...question, folders: own, without: new Set() });
  return new Map([...left, ...(await spool.folderStamps({ ...question, folders: others, without: made }))]);
}

async function readDoubtful(
  { spool }: Spooling,
  files: FilesThatDecide,
  stamps: Map<string, FileStamp>,
  doubtful: ReadonlySet<string>,
): Promise<void> {
  const isFolder = (path: string) => stamps.get(path)?.listing !== undefined;
  const plain = [...doubtful].filter((path) => !isFolder(path));
  for (const [path, checksum] of await spool.checksums(files.directory, plain))
    stamps.set(path, { ...stamps.get(path)!, checksum });
  const folders = [...doubtful].filter(isFolder);
  for (const [path, stamp] of await lookInto({ spool }, files, folders, true)) stamps.set(path, stamp);
}

/** What folders have that jobs read and none of them makes, before they are read: once for all jobs, without what jobs make there. */
export async function gatherFolders(
  { spool, kinds }: Pick<Ports, "spool" | "kinds">,
  { work }: Pick<RequestSpec, "work">,
): Promise<readonly FileStamp[]> {
  const { credits } = kindOf(kinds, work);
  if (!credits) return [];
  const files = await inSlices(credits.files(work));
  const read = [...files.paths].filter((path) => !files.made.has(path));
  const folders = foldersIn(await spool.stamps(files.directory, read));
  return [...(await lookInto({ spool }, files, folders, files.byContents)).values()];
}

/** Of a run that is lost: jobs without a row that are done all the same, for what they make is there. By job index. */
export async function gatherMade(
  ports: Ports,
  { spec: { name, work } }: Pick<RequestRecord, "spec">,
  { createdAt }: Pick<Workflow, "createdAt">,
  finished: ReadonlySet<string>,
): Promise<ReadonlyMap<number, JobProof>> {
  const { credits } = kindOf(ports.kinds, work);
  if (!credits) return new Map();
  const stamps = await stampsOf(ports, await inSlices(credits.files(work)));
  const files = await ports.store.requests.files(name);
  return inSlices(
    credits.made({
      work,
      attached: new Map(files.map(({ path, sha256 }) => [path, sha256])),
      done: new Set([...finished].flatMap((unit) => jobIndex(unit) ?? [])),
      sinceSec: createdAt.getTime() / 1000,
      seen: (path) => stamps.get(path) ?? null,
    }),
  );
}

export const creditedJobs = (earlier: EarlierWork | null): ReadonlySet<number> =>
  new Set(earlier?.jobs.flatMap(({ cause }, index) => (cause === null ? [index] : [])));
