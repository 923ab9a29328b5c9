import type { JobLiveness, Said } from "../core/frepp.ts";
import type { Liveness, Look } from "../core/products.ts";
import type { RequestRecord } from "../core/request.ts";
import type { NodeId, NodeRow } from "../core/segments.ts";
import type { Products } from "../kinds/kind.ts";
import { decideLiveness, type Heard, hear } from "../kinds/segments/frepp/liveness.ts";
import { effectiveSpec } from "./gather-round.ts";
import { type FoundLock, lookAtTransfers } from "./look-at-transfers.ts";
import type { Ports } from "./ports.ts";
import { verifyProducts } from "./verify-products.ts";

interface FreppLook {
  /** Of products that frepp has: what is known of their jobs. */
  readonly live: ReadonlyMap<NodeId, Liveness>;
  /** Rows that are something else now: of jobs that are gone, and of transfers that frepp has given up. */
  readonly learned: readonly NodeRow[];
  /** Why nobody knows of some, each reason once. */
  readonly notices: readonly string[];
  /** Of the stager, on history. */
  readonly locks: readonly FoundLock[];
}

/**
 * Asks about the jobs of products that frepp has, all of them at once. One whose job is gone is done if its outputs are what they
 * should be, since frepp may have made them; else it is lost, and no execution of ours is spent.
 */
export async function lookAtFrepp(
  ports: Pick<Ports, "frepp" | "clock" | "spool" | "log">,
  products: Products,
  request: RequestRecord,
  { look, rows }: { readonly look: Look; readonly rows: ReadonlyMap<NodeId, NodeRow> },
): Promise<FreppLook> {
  const { work } = effectiveSpec(request);
  const theirs = [...rows.values()].filter(({ state, job }) => state === "elsewhere" && job !== null);
  const answers = await askAbout(ports, new Map(theirs.map((row) => [row.job!, row.changedAt])));
  const live = new Map<NodeId, Liveness>();
  const lost: NodeRow[] = [];
  for (const row of theirs) {
    const { kind, reason } = answers.get(row.job!)!;
    if (kind === "gone") lost.push(lostRow(row, reason, ports.clock.now()));
    else live.set(row.id, kind);
  }
  const known = new Map([...rows, ...lost.map((row) => [row.id, row] as const)]);
  const ids = new Set(lost.map(({ id }) => id));
  const made = ids.size > 0 ? await verifyProducts(ports, products, request, { look, rows: known }, ids) : [];
  const run = products.modelRun?.(work);
  const { held, locks } = run ? await lookAtTransfers(ports, run, rows) : { held: [], locks: [] };
  const learned = new Map([...lost, ...made, ...held].map((row) => [row.id, row]));
  const unknown = [...answers.values()].filter(({ kind }) => kind === "unknown");
  const notices = [...new Set(unknown.map(({ reason }) => reason))];
  return { live, learned: [...learned.values()], notices, locks };
}

const lostRow = (row: NodeRow, reason: string, changedAt: Date): NodeRow => ({
  ...row,
  ...{ state: "lost", reason, cause: null, job: null, retryAt: null, losses: row.losses + 1, changedAt },
});

const UNSET: Said = { text: null, reason: "this server has no commands for frepp's queue" };

/** `jobs`: by id, when each was known already. */
async function askAbout(
  { frepp, clock }: Pick<Ports, "frepp" | "clock">,
  jobs: ReadonlyMap<string, Date>,
): Promise<ReadonlyMap<string, JobLiveness>> {
  const ids = [...jobs.keys()];
  const queue = ids.length > 0 ? await frepp?.queue(ids) : null;
  const answered = ids.filter((id) => (queue?.get(id) ?? UNSET).text !== null);
  const accounting = answered.length > 0 ? await frepp?.accounting(answered) : null;
  const answers = new Map<string, JobLiveness>();
  const heard = new Map<Said, Heard>([[UNSET, hear(UNSET)]]);
  const heardOf = (said: Said): Heard => {
    const known = heard.get(said) ?? hear(said);
    heard.set(said, known);
    return known;
  };
  for (const [id, knownAt] of jobs) {
    const accounted = accounting?.get(id);
    const { missedAt, ...liveness } = decideLiveness({
      id,
      knownAt,
      queue: heardOf(queue?.get(id) ?? UNSET),
      accounting: accounted ? heardOf(accounted) : null,
      missedAt: frepp?.missed.get(id) ?? null,
      now: clock.now(),
    });
    if (missedAt === null || liveness.kind === "gone") frepp?.missed.delete(id);
    else frepp?.missed.set(id, missedAt);
    answers.set(id, liveness);
  }
  return answers;
}
