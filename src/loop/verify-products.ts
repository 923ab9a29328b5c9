import type { ProductCheck, ProductSeen } from "../core/products.ts";
import type { RequestRecord } from "../core/request.ts";
import type { NodeId, NodeRow } from "../core/segments.ts";
import type { FileStamp } from "../core/workflow.ts";
import type { Products } from "../kinds/kind.ts";
import { forEachBounded } from "./bounded.ts";
import type { Filling } from "./gather-fill.ts";
import { effectiveSpec } from "./gather-round.ts";
import type { Ports } from "./ports.ts";

const COUNTED_AT_ONCE = 4;
/** All that is there is read once. */
const LONGEST_MS = 4 * 3600_000;
/** What is looked at between two looks at the clock: so many products, or so much to read. */
const AT_ONCE = { products: 100, bytes: 4e9 };

type From = Pick<Filling, "look" | "rows">;
type Files = Pick<Ports, "spool" | "clock">;

/** Looks at what products left, and answers the rows that say something else than what is there; `only`: of these nodes. */
export async function verifyProducts(
  ports: Files,
  products: Products,
  request: RequestRecord,
  { look, rows }: From,
  only?: ReadonlySet<NodeId>,
): Promise<readonly NodeRow[]> {
  const { work } = effectiveSpec(request);
  const checks = products.checks(work, look, only);
  const directory = products.directory(work);
  const seen = await seenOf(ports, directory, checks, await stampsOf(ports, directory, checks));
  return products.verified({ work, look, rows, checks, seen, now: ports.clock.now() });
}

/** How far a look came that somebody waits for. */
interface LookedAt {
  readonly rows: readonly NodeRow[];
  readonly looked: number;
  readonly of: number;
  /** The last one that was looked at; null: there are no more. */
  readonly next: NodeId | null;
}

/** The same for as long as that, from the first one after `after` on: some of them at least. null: there is no such node. */
export async function verifyFor(
  ports: Files,
  products: Products,
  request: RequestRecord,
  { look, rows }: From,
  { after, longestMs }: { readonly after: NodeId | null; readonly longestMs: number },
): Promise<LookedAt | null> {
  const { work } = effectiveSpec(request);
  const all = products.checks(work, look);
  const first = after === null ? 0 : all.findIndex(({ id }) => id === after) + 1;
  if (after !== null && first === 0) return null;
  const checks = all.slice(first);
  const directory = products.directory(work);
  const stamps = await stampsOf(ports, directory, checks);
  const seen = new Map<NodeId, ProductSeen>();
  const end = ports.clock.now().getTime() + longestMs;
  let looked = 0;
  while (looked < checks.length && (looked === 0 || ports.clock.now().getTime() < end)) {
    const some = atOnce(checks, looked, stamps);
    for (const [id, one] of await seenOf(ports, directory, some, stamps)) seen.set(id, one);
    looked += some.length;
  }
  const now = ports.clock.now();
  const changed = products.verified({ work, look, rows, checks: checks.slice(0, looked), seen, now });
  const next = looked < checks.length ? checks[looked - 1]!.id : null;
  return { rows: changed, looked: first + looked, of: all.length, next };
}

type Stamps = ReadonlyMap<string, FileStamp>;

const stampsOf = ({ spool }: Files, directory: string, checks: readonly ProductCheck[]): Promise<Stamps> =>
  spool.stamps(
    directory,
    checks.flatMap(({ files }) => files),
  );

function atOnce(checks: readonly ProductCheck[], from: number, stamps: Stamps): readonly ProductCheck[] {
  let [to, bytes] = [from, 0];
  while (to < checks.length && to - from < AT_ONCE.products && bytes < AT_ONCE.bytes)
    for (const file of checks[to++]!.files) bytes += stamps.get(file)?.sizeBytes ?? 0;
  return checks.slice(from, to);
}

async function seenOf(
  { spool }: Files,
  directory: string,
  checks: readonly ProductCheck[],
  stamps: Stamps,
): Promise<ReadonlyMap<NodeId, ProductSeen>> {
  const there = checks.flatMap(({ files }) => files).filter((file) => stamps.has(file));
  const isFolder = (file: string) => stamps.get(file)?.listing !== undefined;
  const plain = there.filter((file) => !isFolder(file));
  const sums = await spool.checksums(directory, plain, LONGEST_MS);
  const folders = await spool.folderStamps({
    ...{ directory, folders: there.filter((file) => file.endsWith("/") && isFolder(file)) },
    ...{ without: new Set<string>(), byContents: true, longestMs: LONGEST_MS },
  });
  const seen = new Map<NodeId, ProductSeen>();
  await forEachBounded(checks, COUNTED_AT_ONCE, async ({ id, files, levels }) => {
    const counted: (number | "unknown" | null)[] = [];
    for (const [at, file] of files.entries()) {
      const argv = stamps.has(file) ? levels[at] : null;
      const words = argv?.map((word) => word.replace("{output}", () => file));
      counted.push(words ? ((await spool.countLevels(directory, words)) ?? "unknown") : null);
    }
    const found = files.map((file) => {
      const [stamp, checksum] = [folders.get(file) ?? stamps.get(file), sums.get(file)];
      return stamp ? { ...stamp, ...(checksum !== undefined && { checksum }) } : null;
    });
    seen.set(id, { stamps: found, levels: counted });
  });
  return seen;
}
