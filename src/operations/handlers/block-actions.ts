import type { RequestName } from "../../core/names.ts";
import { type OutputBlockFacts, rulesIn } from "../../core/output-block.ts";
import { isTerminal } from "../../core/request-status.ts";
import type { Work } from "../../loop/ports.ts";
import { allBlocks, leaveManifest, withdrawOutputs } from "../../loop/restart.ts";
import { describeRetriedBlocks, describeWithdrawn } from "../../recovery/explain/describe-change.ts";
import { act, movedOn } from "./act.ts";
import type { RetryBlocksAnswer, WithdrawAnswer } from "./block-port.ts";
import type { ActAnswer, By } from "./port.ts";

const MANY = 10_000;

/** Blocks that failed, or wait for their next try, are tried now; a request that is held for them goes on. */
export async function retryBlocks(
  ports: Work,
  which: { readonly request: RequestName } | { readonly block: string },
  reason: string,
  by: By,
): Promise<RetryBlocksAnswer> {
  const { store, clock } = ports;
  const found = await blocksOf(ports, which);
  if (found === null) return { kind: "unknown" };
  const request = await store.requests.get(found.name);
  const isHeldForThem = request?.status === "held" && request.hold?.code === "registration-failed";
  // What is held for one block is held for all that were refused: going on tries all of them.
  const all = isHeldForThem ? await blocksOf(ports, { request: found.name }) : found;
  const blocks = (all ?? found).blocks.filter(isTriedAgain).map(({ name }) => name);
  const release = () =>
    act(ports, found.name, { action: "release", reason }, { ...by, version: request?.version ?? null });
  const answer = { blocks, released: isHeldForThem, message: describeRetriedBlocks(blocks.length, isHeldForThem) };
  if (blocks.length === 0 && !isHeldForThem) return { kind: "nothing", ...answer };
  if (by.dryRun) {
    const foreseen = isHeldForThem ? await release() : null;
    return foreseen === null || isSo(foreseen) ? { kind: "would", ...answer } : foreseen;
  }
  const released = isHeldForThem ? await release() : null;
  if (released !== null && !isSo(released)) return released;
  const at = clock.now();
  await store.transaction(async (tx) => {
    for (const name of blocks) await tx.outputs.retry({ name }, at);
    const subject = "block" in which ? which.block : found.name;
    const detail = { blocks: blocks.length };
    await tx.audit.add({ at, actor: by.actor, action: "retry-blocks", subject, reason, detail, outcome: "done" });
  });
  return { kind: "done", ...answer };
}

const isTriedAgain = ({ status, tries }: OutputBlockFacts): boolean =>
  status === "failed" || ((status === "open" || status === "withdrawing") && tries > 0);

/** It goes on, or somebody had asked for that before. */
const isSo = (answer: ActAnswer): answer is Extract<ActAnswer, { kind: "done" | "would" | "already" }> =>
  answer.kind === "done" || answer.kind === "would" || answer.kind === "already";

async function blocksOf(
  { store }: Work,
  which: { readonly request: RequestName } | { readonly block: string },
): Promise<{ readonly name: RequestName; readonly blocks: readonly OutputBlockFacts[] } | null> {
  if ("block" in which) {
    const block = await store.outputs.get(which.block);
    return block && { name: block.requestName, blocks: [block] };
  }
  if (!(await store.requests.get(which.request))) return null;
  const { items } = await store.outputs.list({ limit: MANY, requestName: which.request });
  return { name: which.request, blocks: items };
}

/** A person names a request that is over: none of its outputs is valid any more, and the loop takes them back. */
export async function withdraw(ports: Work, name: RequestName, reason: string, by: By): Promise<WithdrawAnswer> {
  const { store, clock } = ports;
  const request = await store.requests.get(name);
  if (!request) return { kind: "unknown-request" };
  if (!isTerminal(request.status)) {
    const message = `it is ${request.status}: its outputs may still grow`;
    return { kind: "refused", problems: [{ path: "", message, allowed: "abort --invalidate, or fail --invalidate" }] };
  }
  const open = (await allBlocks(ports, name)).filter(
    ({ status }) => status !== "withdrawing" && status !== "withdrawn",
  );
  const what = {
    blocks: open.filter(({ status }) => status !== "merged").map((block) => block.name),
    files: open.reduce((sum, { files }) => sum + files, 0),
    rules: open.flatMap(({ receipts }) => rulesIn(receipts)),
  };
  if (request.outputState === "invalidated")
    return { kind: "already", ...what, message: `the outputs of ${name} were withdrawn before` };
  const message = describeWithdrawn(name, what.files, what.blocks.length, what.rules.length);
  if (by.dryRun) return { kind: "would", ...what, message };
  const why = `withdrawn by ${by.actor}: ${reason}`;
  const workflow = await store.workflows.forRequest(name);
  await leaveManifest(ports, { request, workflow }, why);
  const at = clock.now();
  const isDone = await store.transaction(async (tx) => {
    const change = { outputState: "invalidated" as const };
    if (!(await tx.requests.change(name, request.version, change, { reason: why, actor: by.actor, at }))) return false;
    await withdrawOutputs(tx, name, why, at);
    const detail = { blocks: what.blocks.length, files: what.files };
    return tx.audit.add({ at, actor: by.actor, action: "withdraw", subject: name, reason, detail, outcome: "done" });
  });
  return isDone ? { kind: "done", ...what, message } : movedOn(store, (await store.requests.get(name)) ?? request);
}
