import { plainText } from "../../base/plain-text.ts";
import { whyNotMoving } from "../../domain/why-not-moving.ts";
import type { desk } from "../../operations/desk.ts";
import { groupHappened, type OpenMatter, shiftReportText } from "../../operators/port.ts";
import type { Call, Run } from "../call.ts";
import { asList, given } from "../cursor.ts";
import { sinceWhen } from "../since.ts";
import { wantsText } from "../text-twin.ts";

const MOST_ENTRIES = 5000;
const PAGE = 1000;
const MOST_OPEN = 200;

/** What a shift needs to know of the one before: what is open, and what happened. */
export const handover: Run<typeof desk.handover> = async ({ since, kind, subject }, call) => {
  const at = call.ports.clock.now();
  const from = sinceWhen(since, at);
  const { entries, isCut } = await happened(call, { since: from, ...given({ kinds: asList(kind), subject }) });
  const open = (await openMatters(call)).filter((matter) => subject === undefined || matter.subject === subject);
  const { host } = call.ports.info;
  const cutAt = (isCut && entries.at(-1)?.at) || null;
  const report = { host, since: from, at, entries: entries.length, cutAt, open, groups: groupHappened(entries) };
  if (!wantsText(call.request.headers.accept)) return report;
  return call.text("text/plain; charset=utf-8", plainText(shiftReportText(report)));
};

type Wanted = Omit<Parameters<Call["queries"]["feed"]>[0], "limit" | "cursor">;
type Entry = Awaited<ReturnType<Call["queries"]["feed"]>>["items"][number];

async function happened({ queries }: Call, wanted: Wanted): Promise<{ entries: readonly Entry[]; isCut: boolean }> {
  const entries: Entry[] = [];
  for (let cursor: string | null = null; ; ) {
    const page: Awaited<ReturnType<typeof queries.feed>> = await queries.feed({
      ...wanted,
      limit: PAGE,
      ...(cursor !== null && { cursor }),
    });
    entries.push(...page.items);
    cursor = page.nextCursor;
    if (cursor === null || entries.length >= MOST_ENTRIES) return { entries, isCut: cursor !== null };
  }
}

/** Held requests, alerts about anything else, and sites that are not as usual. */
async function openMatters({ queries }: Call): Promise<readonly OpenMatter[]> {
  const [held, rests, alerts, sites] = await Promise.all([
    queries.requests({ status: ["held"], limit: MOST_OPEN }),
    queries.requests({ status: ["queued"], text: "held", limit: MOST_OPEN }),
    queries.alerts({ open: true, limit: MOST_OPEN }),
    queries.sites(),
  ]);
  return [
    ...held.items.map((record) => ({
      kind: "held" as const,
      subject: record.spec.name,
      since: record.statusSince,
      text: whyNotMoving(record),
      actor: null,
    })),
    ...rests.items
      .filter(({ waiting }) => waiting?.code === "products-held")
      .map((record) => ({
        kind: "held" as const,
        subject: record.spec.name,
        since: record.waiting?.since ?? record.statusSince,
        text: whyNotMoving(record),
        actor: null,
      })),
    ...alerts.items
      .filter(({ key }) => !key.startsWith("held:"))
      .map(({ subject, severity, message, firstAt, acknowledgedBy }) => ({
        kind: "alert" as const,
        subject,
        since: firstAt,
        text: `${severity}: ${message}`,
        actor: acknowledgedBy,
      })),
    ...sites.flatMap(({ name, status, note, updatedAt, bans }) => [
      ...(status === "enabled" ? [] : [siteMatter(name, updatedAt, [status, note].filter(Boolean).join(": "))]),
      ...bans.map(({ createdAt, expiresAt, reason, workflowId }) => {
        const whom = workflowId === null ? "" : " for one request";
        return siteMatter(name, createdAt, `banned${whom} until ${expiresAt.toISOString().slice(0, 16)}Z: ${reason}`);
      }),
    ]),
  ];
}

const siteMatter = (subject: string, since: Date, text: string): OpenMatter => ({
  kind: "site",
  subject,
  since,
  text,
  actor: null,
});
