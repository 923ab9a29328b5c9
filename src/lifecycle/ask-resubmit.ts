import type { NodeChanges } from "../domain/operator.ts";
import type { Problem } from "../domain/problem.ts";
import type { RequestRecord, RequestWish } from "../domain/request.ts";
import { act } from "./operate.ts";
import type { LoopPolicy, Ports } from "./ports.ts";

/** Reservations become work by a resubmit of exactly those nodes. Several people may reserve before the loop looks. */
export interface NodesWanted {
  /** "unit/node" → what it gets instead of what it had. */
  readonly nodes: ReadonlyMap<string, NodeChanges>;
  readonly actor: string;
  readonly reason: string;
  readonly dryRun: boolean;
}

export type Asked =
  | { readonly kind: "asked"; readonly because: string }
  | { readonly kind: "refused"; readonly problems: readonly Problem[] }
  | { readonly kind: "stale" };

export async function askResubmit(
  ports: Ports,
  policy: LoopPolicy,
  request: RequestRecord,
  wanted: NodesWanted,
): Promise<Asked> {
  const { wish } = request;
  if (wish && wish.kind !== "resubmit")
    return {
      kind: "refused",
      problems: [
        {
          path: "",
          message: `${wish.kind} was asked for by ${wish.actor} and is being carried out`,
          allowed: "ask again when that is through",
        },
      ],
    };
  if (wish) return extendWish(ports, request, wish, wanted);
  const changed = [...wanted.nodes].filter(([, changes]) => Object.keys(changes).length > 0);
  const answer = await act(
    ports,
    policy,
    request.spec.name,
    {
      action: "resubmit",
      reason: wanted.reason,
      nodes: [...wanted.nodes.keys()],
      ...(changed.length > 0 && { nodeChanges: Object.fromEntries(changed) }),
    },
    { actor: wanted.actor, version: request.version, dryRun: wanted.dryRun },
  );
  switch (answer.kind) {
    case "done":
    case "would":
      return { kind: "asked", because: answer.because };
    case "refused":
      return answer;
    case "already":
      return { kind: "asked", because: answer.why };
    default:
      return { kind: "stale" };
  }
}

/** A resubmit that the loop has not begun takes more nodes in; one of everything that failed has them already. */
async function extendWish(
  ports: Ports,
  request: RequestRecord,
  wish: RequestWish,
  { nodes, dryRun }: NodesWanted,
): Promise<Asked> {
  const because = `joins the resubmit that ${wish.actor} asked for`;
  const { epochOf = null, nodeChanges = {}, ...rest } = (wish.detail ?? {}) as WishDetail;
  if (dryRun) return { kind: "asked", because };
  const more: Record<string, readonly string[] | null> = { ...epochOf };
  const changes: Record<string, NodeChanges> = { ...nodeChanges };
  for (const [place, changed] of nodes) {
    const [unit = "", node = ""] = place.split("/");
    const known = more[unit];
    if (known !== null) more[unit] = [...new Set([...(known ?? []), node])];
    if (Object.keys(changed).length > 0) changes[place] = changed;
  }
  const detail = { ...rest, epochOf: epochOf && more, nodeChanges: changes };
  const at = ports.clock.now();
  const change = { wish: { ...wish, detail } };
  const why = { reason: because, actor: wish.actor, at };
  const done = await ports.store.requests.change(request.spec.name, request.version, change, why);
  return done ? { kind: "asked", because } : { kind: "stale" };
}

interface WishDetail {
  readonly epochOf?: Readonly<Record<string, readonly string[] | null>> | null;
  readonly nodeChanges?: Readonly<Record<string, NodeChanges>>;
}
