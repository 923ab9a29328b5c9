import type { RequestName } from "../domain/names.ts";
import { type OutputBlockFacts, rulesIn } from "../domain/output-block.ts";
import { isTerminal } from "../domain/request-status.ts";
import type { Work } from "../lifecycle/ports.ts";
import { leaveManifest, withdrawOutputs } from "../lifecycle/restart.ts";
import { act } from "./act.ts";
import type { RetryBlocksAnswer, WithdrawAnswer } from "./block-port.ts";
import type { By } from "./port.ts";

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
  const waiting = found.blocks.filter(({ status, tries }) => status === "failed" || (status !== "done" && tries > 0));
  const blocks = waiting.map(({ name }) => name);
  const request = await store.requests.get(found.name);
  const isHeldForThem = request?.status === "held" && request.hold?.code === "registration-failed";
  if (by.dryRun || (blocks.length === 0 && !isHeldForThem)) return { kind: "would", blocks, released: isHeldForThem };
  const at = clock.now();
  await store.transaction(async (tx) => {
    for (const name of blocks) await tx.outputs.retry({ name }, at);
    const subject = "block" in which ? which.block : found.name;
    const detail = { blocks: blocks.length };
    await tx.audit.add({ at, actor: by.actor, action: "retry-blocks", subject, reason, detail, outcome: "done" });
  });
  const released = isHeldForThem
    ? await act(ports, found.name, { action: "release", reason }, { ...by, version: null })
    : null;
  return { kind: "done", blocks, released: released?.kind === "done" };
}

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
  const { items } = await store.outputs.list({ limit: MANY, requestName: name });
  const open = items.filter(({ status }) => status !== "withdrawing" && status !== "withdrawn");
  const what = {
    blocks: open.map((block) => block.name),
    files: open.reduce((sum, { files }) => sum + files, 0),
    rules: open.flatMap(({ receipts }) => rulesIn(receipts)),
  };
  if (request.outputState === "invalidated") return { kind: "already", ...what };
  if (by.dryRun) return { kind: "would", ...what };
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
  return isDone ? { kind: "done", ...what } : { kind: "stale", request };
}
