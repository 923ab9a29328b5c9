import type { LiveNode } from "../../engine/local/dag-machine.ts";
import type { Attempt } from "../../recovery/attempt.ts";
import type { History } from "../../recovery/ledger-record.ts";
import { chance } from "../chance.ts";
import type { Planned } from "../virtual-time.ts";
import { attemptOf } from "./attempt.ts";
import type { Host, RunFacts } from "./host.ts";
import type { Beginning, Ending } from "./outcome.ts";
import type { Ticket } from "./site-pool.ts";
import type { Asks, Manifest } from "./submit-dir.ts";

/** A node of a unit while its run goes on. */
export interface SimNode extends LiveNode {
  readonly role: string;
  ticket: Ticket | null;
  planned: Planned | null;
  /** Ends the execution under way by force, as if the pool had taken it away. */
  evict: (() => void) | null;
}

/** What an execution needs to know of its unit. */
export interface UnitFacts {
  readonly name: string;
  readonly run: RunFacts;
  readonly host: Host;
  readonly manifest: Manifest;
  /** Where the unit may run at all; null: anywhere. */
  readonly possible: readonly string[] | null;
}

const TAKEN_AWAY: Ending = { rule: null, result: { kind: "cause", cause: "evicted" }, seconds: 0, file: null };

/** A job begins at a site. How it will end is settled now; `ended` hears of it when that time has come. */
export function execute(
  { name, run, host, manifest, possible }: UnitFacts,
  node: SimNode,
  site: string,
  asks: Asks,
  history: History,
  ended: (begun: Beginning, attempt: Attempt) => void,
): void {
  const { spec, role } = node;
  const planned = manifest.nodes[spec.name];
  const begun: Beginning = {
    request: run.request,
    unit: name,
    node: spec.name,
    role,
    site,
    speed: host.sites.speedOf(site),
    attempt: 1 + history.records.filter((record) => record.epoch === history.epoch).length,
    epoch: history.epoch,
    atSec: host.time.sec,
    memoryMb: asks.memoryMb,
    wallMinutes: asks.wallMinutes,
    files: planned?.inputs.map(({ lfn }) => lfn) ?? [],
    serial: 1 + history.records.length,
  };
  const startedAt = host.time.now();
  const cluster = host.nextCluster();
  host.began(begun);
  const finish = (ending: Ending): void => {
    node.planned?.cancel();
    node.evict = null;
    run.whenFree(() => {
      const attempt = attemptOf({
        begun,
        ending,
        cluster,
        dagRetry: node.attempt,
        maxRetries: spec.retries,
        startedAt,
        endedAt: host.time.now(),
        host: `${site}-w${Math.floor(20 * chance(cluster, site))}`,
        sites: possible,
        cores: asks.cores,
        steps: manifest.steps.map((step) => step.name),
        events: planned?.events ?? null,
      });
      ended(begun, attempt);
    });
  };
  const ending = host.outcomes.of(begun);
  node.evict = () => finish(TAKEN_AWAY);
  node.planned = host.time.after(ending.seconds, () => finish(ending));
}
