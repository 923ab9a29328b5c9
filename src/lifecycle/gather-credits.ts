import { inSlices } from "../base/slices.ts";
import type { JobToRun } from "../domain/credit.ts";
import { type DagId, jobIndex, type RequestName } from "../domain/names.ts";
import type { RequestFile, RequestRecord, RequestSpec } from "../domain/request.ts";
import type { JobProof, Workflow } from "../domain/workflow.ts";
import { kindOf } from "../kinds/kind.ts";
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
  files: readonly RequestFile[],
  previous: RequestName | null,
): Promise<EarlierWork | null> {
  const { credits, prepare } = kindOf(ports.kinds, work);
  if (!credits) return null;
  if (prepare) await inSlices(prepare(work));
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
  const { directory, paths, byContents } = credits.files(work);
  const stamps = new Map(proofs.size > 0 ? await ports.spool.stamps(directory, paths) : []);
  const seen = (path: string) => stamps.get(path) ?? null;
  const doubtful = byContents ? credits.doubtful(proofs.values(), seen) : [];
  for (const [path, checksum] of await ports.spool.checksums(directory, doubtful))
    stamps.set(path, { ...stamps.get(path)!, checksum });
  const jobs = credits.decide({
    work,
    attached: new Map(files.map(({ path, sha256 }) => [path, sha256])),
    before: { work: before?.spec.work ?? null, proofs },
    seen,
  });
  return { jobs, proofs, dagId: ranIn };
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
  const { directory, paths } = credits.files(work);
  const stamps = await ports.spool.stamps(directory, paths);
  const files = await ports.store.requests.files(name);
  return credits.made({
    work,
    attached: new Map(files.map(({ path, sha256 }) => [path, sha256])),
    done: new Set([...finished].flatMap((unit) => jobIndex(unit) ?? [])),
    sinceSec: createdAt.getTime() / 1000,
    seen: (path) => stamps.get(path) ?? null,
  });
}

export const creditedJobs = (earlier: EarlierWork | null): ReadonlySet<number> =>
  new Set(earlier?.jobs.flatMap(({ cause }, index) => (cause === null ? [index] : [])));
