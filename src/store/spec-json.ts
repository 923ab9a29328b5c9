import { jsonValue, toBigInt } from "../core/base/json.ts";
import type { RequestSpec } from "../core/request.ts";
import type { Work } from "../core/work.ts";

/**
 * A spec as JSON. All of it is plain except the 64-bit numbers of its work: which those are is written beside it, so
 * the store need not know any kind.
 */
interface StoredSpec extends Omit<RequestSpec, "work"> {
  readonly work: Readonly<Record<string, unknown>>;
  readonly bigNumbers: readonly string[];
}

export function encodeSpec(spec: RequestSpec): StoredSpec {
  const bigNumbers: string[] = [];
  const work = Object.entries(spec.work).map(([key, value]: [string, unknown]) => {
    if (typeof value === "bigint") bigNumbers.push(key);
    return [key, typeof value === "bigint" ? jsonValue(value) : value];
  });
  return { ...spec, work: Object.fromEntries(work), bigNumbers };
}

export function decodeSpec(stored: unknown): RequestSpec {
  const { work, bigNumbers, ...rest } = withWork(stored as StoredSpec | OldSpec);
  const big = bigNumbers.map((key) => [key, toBigInt(work[key] as string)]);
  return { ...rest, work: { ...work, ...Object.fromEntries(big) } as unknown as Work };
}

/** What was stored while there were two kinds, each with fields of its own in every spec. */
interface OldSpec extends Omit<RequestSpec, "work"> {
  readonly kind: string;
  readonly input: unknown;
  readonly generation: object | null;
  readonly split: unknown;
}

function withWork(stored: StoredSpec | OldSpec): StoredSpec {
  if ("work" in stored) return stored;
  const { kind, input, generation, split, ...rest } = stored;
  if (generation) return { ...rest, work: { kind, ...generation, split }, bigNumbers: ["totalEvents", "firstEvent"] };
  return { ...rest, work: { kind, input, split }, bigNumbers: [] };
}
