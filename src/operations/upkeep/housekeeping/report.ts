import type { RequestRecord } from "../../../core/request.ts";
import { isTerminal, type RequestStatus } from "../../../core/request-status.ts";
import { dueTimes, type KeepPolicy } from "./decide-directory.ts";
import type { RequestUsage } from "./usage.ts";

/** What takes the space of a spool, and what housekeeping will do about it. Pure; field names are those of --json. */
export interface SpoolRow extends RequestUsage {
  /** null: no server was asked. */
  readonly status: RequestStatus | null;
  readonly status_since: string | null;
  readonly next: NextStep;
}

/** keep: nothing by itself · unknown: nobody could be asked · unknown-request: the server does not know it. */
export interface NextStep {
  readonly action: "keep" | "compact" | "remove" | "unknown" | "unknown-request";
  readonly at: string | null;
}

export type KnownRequest = Pick<RequestRecord, "status" | "statusSince">;

/** `known` null: there is no server to ask. Biggest first. */
export function spoolReport(
  usage: readonly RequestUsage[],
  known: ReadonlyMap<string, KnownRequest> | null,
  policy: KeepPolicy,
): readonly SpoolRow[] {
  return usage
    .map(({ request_name, ...sizes }) => {
      const request = known?.get(request_name);
      const status = request?.status ?? null;
      const status_since = request?.statusSince.toISOString() ?? null;
      const next = known ? nextStep(sizes, request, policy) : { action: "unknown" as const, at: null };
      return { request_name, status, status_since, ...sizes, next };
    })
    .sort((a, b) => total(b) - total(a) || (a.request_name < b.request_name ? -1 : 1));
}

const total = ({ bytes, unmerged_bytes }: SpoolRow): number => bytes + unmerged_bytes;

type Sizes = Omit<RequestUsage, "request_name">;
function nextStep(usage: Sizes, request: KnownRequest | undefined, policy: KeepPolicy): NextStep {
  if (!request) return { action: "unknown-request", at: null };
  if (!isTerminal(request.status)) return { action: "keep", at: null };
  const { compactAt, removeAt } = dueTimes(request.statusSince, policy);
  const isCompact = usage.compacted === usage.directories && usage.unmerged_files === 0;
  if (!isCompact && (removeAt === null || compactAt < removeAt))
    return { action: "compact", at: compactAt.toISOString() };
  if (removeAt === null || usage.directories === 0) return { action: "keep", at: null };
  return { action: "remove", at: removeAt.toISOString() };
}
