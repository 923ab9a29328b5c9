import type { RequestName } from "../../core/names.ts";
import type { Work } from "../../loop/ports.ts";
import { act } from "./act.ts";
import { makeForesee } from "./gather-effect.ts";
import type { ActAnswer, By, ManyAnswer, ManyRequests, OperatorRequest } from "./port.ts";

/** Callers wait for an answer: what is not done by then is for the next page. */
const MOST_MS = 15_000;
const AT_ONCE = 20;

/** The same for many, one after another; each has its own answer, and one that is refused stops no other. */
export async function actMany(
  ports: Work,
  { names, seen, filter, limit, cursor }: ManyRequests,
  wanted: OperatorRequest,
  { actor, dryRun }: By,
): Promise<ManyAnswer> {
  const foresee = makeForesee(ports);
  const results: { name: RequestName; answer: ActAnswer }[] = [];
  const end = performance.now() + MOST_MS;
  const isEnough = () => results.length >= limit || performance.now() > end;
  let next: string | null = cursor ?? null;
  do {
    const most = Math.min(AT_ONCE, limit - results.length);
    const page: { items: readonly RequestName[]; nextCursor: string | null } = names
      ? sliceOf(names, Number(next ?? 0), most)
      : await ports.store.requests.names({ ...filter, limit: most, ...(next !== null && { cursor: next }) });
    for (const name of page.items) {
      const answer = await act(ports, name, wanted, { actor, version: seen?.get(name) ?? null, dryRun }, foresee);
      results.push({ name, answer });
    }
    next = page.nextCursor;
  } while (next !== null && !isEnough());
  return { results, nextCursor: next };
}

function sliceOf(names: readonly RequestName[], from: number, most: number) {
  const to = from + most;
  return { items: names.slice(from, to), nextCursor: to < names.length ? String(to) : null };
}
