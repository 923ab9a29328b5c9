import {
  type BlockDecision,
  decideBeside,
  decideBlock,
  nextTry,
  patienceFor,
  RULES_WITHDRAWN,
} from "../catalogs/outputs/decide-block.ts";
import { mergeLeftovers } from "../catalogs/outputs/merge-leftovers.ts";
import type { CatalogBlock, StepOutcome } from "../catalogs/port.ts";
import { describeError, WorldError } from "../core/base/errors.ts";
import type { RequestName } from "../core/names.ts";
import { type BlockError, type OutputBlockFacts, UNREACHABLE, type UnitFiles } from "../core/output-block.ts";
import type { StepTaken } from "../store/port.ts";
import { forEachBounded } from "./bounded.ts";
import { assertLeads, Interrupted } from "./in-progress.ts";
import type { PassWork } from "./ports.ts";

const BLOCKS_PER_WALK = 1000;
const UNITS_PER_CALL = 500;
/** A catalog has time-outs of its own, and keeps to them; this is for one that does not. */
const CALL_LIMIT_SEC = 300;

/** A walk over what is owed to the catalog: which services were found away, which requests have news, what was merged into. */
interface Walk {
  readonly away: Map<string, string>;
  readonly moved: Set<RequestName>;
  readonly settled: Set<string>;
}

interface BlockWalk extends Walk {
  /** Steps at which some of its units were refused. */
  readonly refusedAt: Set<string>;
}

/**
 * Takes the steps that output blocks are due for, block by block. It belongs to no request: what one of them waits for
 * delays no other, and a service that is away is asked once in a walk. Answers whose blocks ended or failed.
 */
export async function walkOutputs(ports: PassWork): Promise<readonly RequestName[]> {
  const due = await ports.store.outputs.due(ports.clock.now(), BLOCKS_PER_WALK);
  const walk: Walk = { away: new Map(), moved: new Set(), settled: new Set() };
  const { concurrency } = ports.policy;
  await forEachBounded(due, concurrency, (block) => takeSteps(ports, walk, block));
  await forEachBounded([...walk.settled], concurrency, async (name) =>
    takeSteps(ports, walk, await ports.store.outputs.get(name)),
  );
  return [...walk.moved];
}

const patienceOf = ({ catalog, policy }: PassWork) => patienceFor(catalog.outputs.retries, policy.outputs);

/** Until it rests: nothing is to be done now, or a step failed. */
async function takeSteps(ports: PassWork, walk: Walk, first: OutputBlockFacts | null): Promise<void> {
  const { store, catalog, clock } = ports;
  let block = first;
  const refusedAt = new Set<string>();
  const steps = [...catalog.outputs.steps];
  while (block) {
    ports.signal?.throwIfAborted();
    assertLeads(ports);
    const decision = decideBeside(refusedAt, block, steps, patienceOf(ports), clock.now());
    if (!(await apply(ports, { ...walk, refusedAt }, block, decision))) return;
    block = await store.outputs.get(block.name);
  }
}

/** Carries out one decision about a block; true: look again. */
async function apply(
  ports: PassWork,
  walk: BlockWalk,
  block: OutputBlockFacts,
  decision: BlockDecision,
): Promise<boolean> {
  const { store, catalog, clock } = ports;
  switch (decision.kind) {
    case "wait":
      return false;
    case "seal":
      return store.outputs.seal(block, clock.now());
    case "settle":
      return settle(ports, walk, block);
    case "run": {
      const { step } = decision;
      const isEach = step.when === "each-unit";
      const units = isEach ? await store.outputs.units(block, step.takes, UNITS_PER_CALL) : [];
      const call = (given: CatalogBlock) => catalog.outputs.run(step, given, units);
      return take(
        ports,
        walk,
        block,
        { step: step.name, service: step.service, units, call },
        isEach ? step.leaves : null,
      );
    }
    case "withdraw-rules": {
      const call = (given: CatalogBlock) => catalog.outputs.withdrawRules(given);
      return take(ports, walk, block, { step: RULES_WITHDRAWN, service: "rules", units: [], call }, null);
    }
    case "withdraw-files": {
      const { state } = decision;
      const units = await store.outputs.units(block, state, UNITS_PER_CALL);
      const call = (given: CatalogBlock) => catalog.outputs.withdrawFiles(given, units, state === "registered");
      return take(ports, walk, block, { step: "withdraw-files", service: "files", units, call }, "withdrawn");
    }
    case "done":
    case "give-up":
    case "withdrawn": {
      const status = decision.kind === "give-up" ? "failed" : decision.kind;
      if (!(await store.outputs.end(block, status, catalog.outputs.finally, clock.now()))) return true;
      walk.moved.add(block.requestName);
      const { name, requestName, lastError } = block;
      ports.log.info("outputs.moved", { request: requestName, block: name, status, why: lastError?.message });
      return false;
    }
  }
}

/** All that is left over of a dataset is merged at once, when each of its blocks waits for just that. */
async function settle(ports: PassWork, walk: Walk, block: OutputBlockFacts): Promise<boolean> {
  const { store, catalog, clock, log } = ports;
  const request = await store.requests.get(block.requestName);
  const unsealed = await store.outputs.unsealed(block);
  const isReady = (one: OutputBlockFacts) =>
    one.isFirm ||
    one.refusals > 0 ||
    decideBlock(one, catalog.outputs.steps, patienceOf(ports), clock.now()).kind === "settle";
  if (!request || !unsealed.every(isReady)) return false;
  const open = unsealed.map(({ name, isFirm, bytes, units: of, refusals }) => {
    const units = of.owed + of.replicated + of.registered;
    return { name, isFirm, bytes, units, isRegistered: of.registered > 0, isRefused: refusals > 0 };
  });
  for (const merge of mergeLeftovers(open, request.spec.unit)) {
    if (!(await store.outputs.settle(block, merge, clock.now()))) return false;
    walk.settled.add(merge.into);
    log.info("outputs.settled", { request: block.requestName, block: merge.into, merged: merge.from });
  }
  return true;
}

interface Step {
  readonly step: string;
  readonly service: string;
  readonly units: readonly UnitFiles[];
  readonly call: (block: CatalogBlock) => Promise<StepOutcome>;
}

/**
 * Intent, call, receipt. A step that failed is kept with its reason, and the block rests until its next try; where only
 * some units were refused, the others go on.
 */
async function take(
  ports: PassWork,
  walk: BlockWalk,
  block: OutputBlockFacts,
  { step, service, units, call }: Step,
  state: StepTaken["state"],
): Promise<boolean> {
  const { store, clock, log } = ports;
  const request = await store.requests.get(block.requestName);
  if (!request) return false;
  await store.outputs.begin(block.name, step, clock.now());
  assertLeads(ports);
  const outcome = await ask(ports, walk, service, () => call({ ...block, spec: request.spec }));
  const refused = outcome.kind === "done" ? (outcome.refused ?? []) : [];
  const bad = new Set(refused.map(({ unit }) => unit));
  const good = units.map(({ unit }) => unit).filter((unit) => !bad.has(unit));
  const isTaken = outcome.kind === "done" && (units.length === 0 || good.length > 0);
  const taken = isTaken ? { step, receipt: state === null ? outcome.receipt : null, units: good, state } : null;
  const trouble = outcome.kind === "done" ? (refused[0] ?? null) : outcome;
  const at = clock.now();
  if (!trouble) {
    await store.outputs.note(block, taken, walk.refusedAt.size > 0 ? "as-before" : null, at);
    log.info("outputs.step", { request: block.requestName, block: block.name, step, units: good.length });
    return true;
  }
  const { code, message, fix } = trouble;
  const error: BlockError = { step, code, message, fix, unit: refused[0]?.unit ?? null };
  const isRefused = code !== UNREACHABLE;
  const nextTryAt = nextTry(block, isRefused, patienceOf(ports), at);
  await store.outputs.note(block, taken, { error, isRefused, units: [...bad], nextTryAt }, at);
  walk.moved.add(block.requestName);
  log.warn("outputs.failed", { request: block.requestName, block: block.name, nextTryAt, ...error });
  if (refused.length > 0) walk.refusedAt.add(step);
  return refused.length > 0;
}

/** One call, within its time. What the world or we ourselves break becomes an outcome: it stops this block only. */
async function ask(
  ports: PassWork,
  walk: Walk,
  service: string,
  call: () => Promise<StepOutcome>,
): Promise<StepOutcome> {
  const before = walk.away.get(service);
  if (before !== undefined) return unreachable(before);
  try {
    return await withinLimit(call(), service);
  } catch (error) {
    if (error instanceof Interrupted || !ports.leads()) throw error;
    if (error instanceof WorldError && error.code === "store-unreachable") throw error;
    const message = describeError(error);
    if (!(error instanceof WorldError)) {
      ports.log.error("outputs.bug", { message, stack: (error as Error | null)?.stack });
      return { kind: "refused", code: "bug", message, fix: "this is a bug of wms2: please report it" };
    }
    walk.away.set(service, message);
    return unreachable(message, error.hint);
  }
}

const unreachable = (message: string, fix = "it is tried again by itself"): StepOutcome => ({
  kind: "refused",
  code: UNREACHABLE,
  message,
  fix,
});

async function withinLimit<T>(call: Promise<T>, service: string): Promise<T> {
  let limit: NodeJS.Timeout | undefined;
  const over = new Promise<never>((_, fail) => {
    const reason = `${service} did not answer within ${CALL_LIMIT_SEC} s`;
    limit = setTimeout(() => fail(new WorldError("catalog-unreachable", service, reason)), CALL_LIMIT_SEC * 1000);
  });
  return Promise.race([call, over]).finally(() => clearTimeout(limit));
}
