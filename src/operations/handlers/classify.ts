import { ok } from "../../core/base/result.ts";
import { plural } from "../../core/base/text.ts";
import { type EvidenceOf, holdFor } from "../../core/holds.ts";
import type { RequestName } from "../../core/names.ts";
import type { NodeAction, NodeChanges } from "../../core/operator.ts";
import type { Problem } from "../../core/problem.ts";
import type { HoldReason, RequestRecord } from "../../core/request.ts";
import type { Ports, Work } from "../../loop/ports.ts";
import { describeClassified } from "../../recovery/explain/describe-change.ts";
import type { Likeness } from "../../recovery/likeness.ts";
import { attemptKey, NO_ANSWERS } from "../../recovery/round/answers.ts";
import type { GraphNames } from "../../submit-dir/jobs.ts";
import { movedOn } from "./act.ts";
import { refusal } from "./check-action.ts";
import { changeProblems } from "./check-changes.ts";
import { likenesses, MOST_LOGS, whyNotNow } from "./failure-groups.ts";
import type { By, Refusal, Seen } from "./port.ts";
import { answersTo, lastAttempts, type PresentRun, presentRun, unfinishedUnits } from "./present-run.ts";
import type { Classification, ClassifyAnswer, UnclassifiedNode, UnclassifiedPage } from "./recovery-port.ts";
import { keepRules, makeRules } from "./remember.ts";
import { newAction, reserve } from "./reserve.ts";

type Waiting = Omit<UnclassifiedNode, "stderrTail">;
type Wanted = Classification & { readonly node: string; readonly waiting: Waiting };

/** Nodes whose last failure no rule knew, in the present run; null: no such request. */
export async function unclassified(
  ports: Ports,
  name: RequestName,
  { offset, limit }: { readonly offset: number; readonly limit: number },
): Promise<UnclassifiedPage | null> {
  const request = await ports.store.requests.get(name);
  if (!request) return null;
  const run = await presentRun(ports.store, request);
  if (!run) return { total: 0, open: 0, items: [] };
  const waiting = await findUnclassified(ports, run);
  const items = [];
  const names = await ports.spool.jobNames(run.dag.submitDir);
  for (const one of waiting.slice(offset, offset + limit))
    items.push({
      ...one,
      ...called(names, one.node),
      stderrTail: await ports.spool.logTail(run.dag.submitDir, one.unit, one.node),
    });
  return { total: waiting.length, open: waiting.filter(({ classified }) => classified === null).length, items };
}

/** Those of the present run, by unit and node. */
async function findUnclassified(ports: Ports, run: PresentRun): Promise<readonly Waiting[]> {
  const last = await lastAttempts(ports, run, await unfinishedUnits(ports, run));
  const found = last.filter(({ record }) => record.decision === "unclassified");
  const said = found.length > 0 ? await answersTo(ports, run) : NO_ANSWERS;
  return found.map((one) => ({ ...one, classified: said.get(attemptKey(one)) ?? null }));
}

/** What the person called it, where it is a job of a graph. */
const called = (names: GraphNames, node: string) => {
  const job = names.nameOf(node);
  return job === null ? {} : { job };
};

const place = ({ unit, node }: { unit: string; node: string }): string => `${unit}/${node}`;

/**
 * A person or an agent says what failures mean that no rule knew: all of a call or none. What they say is kept for
 * good. Once nothing waits any more, the nodes to be retried are resubmitted; those given up stay where they stopped.
 * `remember`: it is a rule of the runs to come, too.
 */
export async function classify(
  ports: Work,
  name: RequestName,
  items: readonly Classification[],
  seen: Seen & By,
  remember = false,
): Promise<ClassifyAnswer> {
  const request = await ports.store.requests.get(name);
  if (!request) return { kind: "unknown-request" };
  if (seen.version !== null && seen.version !== request.version) return movedOn(ports.store, request);
  const run = await presentRun(ports.store, request);
  const waiting = run ? await findUnclassified(ports, run) : [];
  const mustLook = remember || items.some(({ group }) => group !== undefined);
  const alike = run && mustLook ? await likenesses(ports, run, waiting.slice(0, MOST_LOGS)) : NOT_LOOKED;
  const names = await ports.spool.jobNames(run?.dag.submitDir ?? "");
  const { wanted, problems } = await match(ports, request, inGroups(items, waiting, alike), waiting, names);
  if (problems.length > 0 || !run) return { kind: "refused", problems };
  const rules = remember ? await makeRules(ports, run, wanted, alike, seen.actor) : ok([]);
  if (!rules.ok) return { kind: "refused", problems: rules.error };
  const keep = () => keepRules(ports, rules.value, seen);
  const isNew = wanted.some(({ waiting: { classified } }) => classified === null);
  const whyNot = isNew ? whyNotNow(run) : null;
  if (whyNot !== null) return refusal("conflict", whyNot, "a held request");
  const against = wanted.flatMap(({ action, waiting: { classified } }) =>
    classified && classified.kind !== action ? [classified] : [],
  );
  if (against.length > 0) return stands(against);
  const said = { request, run, wanted, ...lookAhead(wanted, waiting, seen.actor), keep };
  return isNew ? sayNow(ports, said, seen) : saidBefore(said);
}

/** "unit/node" → what it gets, and whose word it is. */
type Retries = ReadonlyMap<string, { readonly changes: NodeChanges; readonly by: string; readonly reason: string }>;

interface Said {
  readonly request: RequestRecord;
  readonly run: PresentRun;
  readonly wanted: readonly Wanted[];
  readonly open: number;
  readonly retries: Retries;
  readonly keep: () => ReturnType<typeof keepRules>;
}

/** Everything named was said before: the same answer again, and nothing is done twice. */
async function saidBefore({ request, wanted, open, keep }: Said): Promise<ClassifyAnswer> {
  const reason = `${plural(wanted.length, "failure")} ${wanted.length === 1 ? "was" : "were"} classified before`;
  return { kind: "done", items: answersFor(wanted), open, resubmit: null, rules: await keep(), reason, request };
}

async function sayNow(
  ports: Work,
  { request, run, wanted, open, retries, keep }: Said,
  seen: Seen & By,
): Promise<ClassifyAnswer> {
  const at = ports.clock.now();
  const actions = wanted.map(({ waiting, action, reason, changes }) =>
    newAction(run, waiting, { kind: action, reason, changes, actor: seen.actor, at }),
  );
  const reason = reasonsOf(wanted);
  const items = wanted.map(({ node, action, changes, reason }) => ({ node, action, changes, reason }));
  const entry = { action: "classify", reason, detail: { items } };
  const again: Retries = open === 0 ? retries : new Map();
  const resubmit = new Map([...again].map(([at, { changes }]) => [at, changes]));
  const said = Object.fromEntries([...again].map(([at, { by, reason }]) => [at, { by, reason }]));
  const isGivenUp = open === 0 && retries.size === 0;
  const hold = isGivenUp ? givenUpHold(request, wanted.length, reason, seen.actor) : null;
  const answer = await reserve(ports, run, { actions, resubmit, said, reason, entry, hold }, seen);
  switch (answer.kind) {
    case "conflict":
      return answer;
    case "stale":
      return movedOn(ports.store, (await ports.store.requests.get(request.spec.name)) ?? request);
    case "against":
      return stands(answer.actions);
    default: {
      const outcomes = answer.kind === "done" ? answer.reserved.map(({ kind }) => kind) : [];
      return {
        kind: answer.kind,
        items: answersFor(wanted).map((one, at) => (outcomes[at] === "already" ? { ...one, outcome: "already" } : one)),
        open,
        resubmit: answer.reason === null ? null : [...resubmit.keys()],
        rules: await keep(),
        reason: describeClassified(wanted.length, answer.reason ?? whyNothing(open)),
        request: (await ports.store.requests.get(request.spec.name)) ?? request,
      };
    }
  }
}

/** Each once. */
const reasonsOf = (wanted: readonly Wanted[]): string => [...new Set(wanted.map(({ reason }) => reason))].join("; ");

/** Nothing is left to be decided about single failures: the request waits for what is to become of all that is left. */
function givenUpHold({ hold }: RequestRecord, count: number, reason: string, actor: string): HoldReason | null {
  if (hold?.code !== "unclassified-failures") return null;
  const message = `${actor} gave up ${plural(count, "failure")} that no rule knows (${reason}); nothing is left to be tried again`;
  return holdFor("permanent-failures", message, hold.evidence as EvidenceOf<"permanent-failures">);
}

const answersFor = (wanted: readonly Wanted[]) =>
  wanted.map(({ waiting, action }) => {
    const outcome: "already" | "reserved" = waiting.classified ? "already" : "reserved";
    return { node: place(waiting), action, outcome };
  });

const NOT_LOOKED: ReadonlyMap<string, Likeness> = new Map();

/** A group stands for its nodes: those not yet classified, or in the same way. */
function inGroups(
  items: readonly Classification[],
  waiting: readonly Waiting[],
  alike: ReadonlyMap<string, Likeness>,
): readonly (Classification & { readonly node: string })[] {
  return items.flatMap(({ group, ...item }) => {
    if (group === undefined) return { ...item, node: item.node ?? "" };
    const isMeant = (one: Waiting) =>
      alike.get(place(one))?.key === group && (one.classified === null || one.classified.kind === item.action);
    const nodes = waiting.filter(isMeant).map(place);
    return (nodes.length > 0 ? nodes : [`group ${group}`]).map((node) => ({ ...item, node }));
  });
}

async function match(
  ports: Work,
  request: RequestRecord,
  items: readonly (Classification & { readonly node: string })[],
  waiting: readonly Waiting[],
  names: GraphNames,
): Promise<{ wanted: readonly Wanted[]; problems: readonly Problem[] }> {
  const known = new Map(waiting.map((one) => [place(one), one]));
  const wanted = new Map<string, Wanted>();
  const problems: Problem[] = [];
  if (items.length === 0) problems.push({ path: "items", message: "names nothing", allowed: "a node" });
  for (const [at, item] of items.entries()) {
    const job = names.nodeOf(item.node);
    const found = known.get(`${job}/${job}`) ?? known.get(item.node.replace(":", "/"));
    const path = `items[${at}]`;
    if (!found) {
      const message = `${item.node} does not wait for a classification`;
      problems.push({ path: `${path}.node`, message, allowed: "as wms2 unclassified lists them" });
    } else if (wanted.has(place(found)))
      problems.push({ path: `${path}.node`, message: `${item.node} is named twice`, allowed: null });
    else wanted.set(place(found), { ...item, waiting: found });
    for (const problem of await changeProblems(ports, request, item.changes))
      problems.push({ ...problem, path: `${path}.${problem.path}` });
  }
  return { wanted: [...wanted.values()], problems };
}

const stands = (actions: readonly NodeAction[]): Refusal<"conflict"> => ({
  kind: "conflict",
  problems: actions.map(({ unit, node, kind, actor, reason }) => ({
    path: `${unit}/${node}`,
    message: `${actor} classified it as ${kind} already: ${reason}`,
    allowed: "wms2 resubmit, which opens a new epoch",
  })),
});

/** How many still wait after this call, and all that are to run again: those of earlier calls too. */
function lookAhead(wanted: readonly Wanted[], waiting: readonly Waiting[], by: string) {
  const said = new Map(wanted.map((one) => [place(one.waiting), one]));
  const retries = new Map<string, { changes: NodeChanges; by: string; reason: string }>();
  let open = 0;
  for (const one of waiting) {
    const now = said.get(place(one));
    const before = one.classified && { ...one.classified, action: one.classified.kind, by: one.classified.actor };
    const answer = before ?? (now && { ...now, by });
    if (!answer) open += 1;
    else if (answer.action === "retry") {
      const { changes, by, reason } = answer;
      retries.set(place(one), { changes, by, reason });
    }
  }
  return { open, retries };
}

const whyNothing = (open: number): string =>
  open > 0
    ? `${open} more ${open === 1 ? "waits" : "wait"} to be classified; then those to be retried are resubmitted`
    : "all are given up: nothing is resubmitted; release, restart or fail the request";
