import { statfs } from "node:fs/promises";
import { answerWithin } from "./answer-within.ts";
import { BASE } from "./api-types.ts";
import type { ApiPorts } from "./ports.ts";

type Asked = Pick<ApiPorts, "store" | "engine" | "clock" | "loop" | "info">;
interface Seen {
  readonly what: string;
  readonly ok: boolean;
  readonly readAt: Date | null;
  readonly everySec: number | null;
  readonly text: string;
}
type Looked = Omit<Seen, "what" | "everySec">;

const HOUR_MS = 3_600_000;

/** How old each number is that pages and answers show, and who makes it. What can be asked is asked now. */
export async function readFreshness(asked: Asked, probeMs: number) {
  const { clock, loop, info } = asked;
  const { directories, version, host, instance, startedAt } = info;
  const ofLoop = await loop.status();
  const see = async (what: string, everySec: number | null, look: () => Promise<Looked>): Promise<Seen> => ({
    what,
    everySec,
    readAt: null,
    ...(await answerWithin<Looked | { ok: false; text: string }>(probeMs, look)),
  });
  const items = await Promise.all([
    see("scheduler passes", ofLoop.intervalSec, async () => ({
      ok: ofLoop.healthy,
      readAt: ofLoop.lastPassAt,
      text: `${ofLoop.why}; ${ofLoop.passes} so far, the last took ${ofLoop.lastPassSeconds ?? "?"} s`,
    })),
    see(`engine ${info.engine}`, null, async () => {
      const { ok, text } = await asked.engine.ping();
      return { ok, text, readAt: clock.now() };
    }),
    see(`database (${info.store})`, null, async () => {
      const begun = performance.now();
      await asked.store.ping();
      return { ok: true, readAt: clock.now(), text: `answers within ${Math.ceil(performance.now() - begun)} ms` };
    }),
    see(`catalog ${info.catalog}`, null, () => catalogLook(asked)),
    see("ledgers of failures and sites", null, () => ledgerLook(asked)),
    see("samples of progress", 300, () => sampleLook(asked)),
    see("disk of the spool", null, () => diskLook(directories.spoolDir, clock.now())),
    see("disk of outputs", null, () => diskLook(directories.storageDir, clock.now())),
  ]);
  const { leader, isLeader } = ofLoop;
  const node = process.version;
  const api = BASE.split("/").at(-1) ?? BASE;
  return { at: clock.now(), version, api, node, host, instance, startedAt, leader, isLeader, items };
}

/** What the watch found out: nobody outside is asked just because somebody looks at us. */
async function catalogLook({ store, clock }: Asked): Promise<Looked> {
  const away = (await store.alerts.open()).filter(({ key }) => key.startsWith("catalog-unreachable:"));
  const text = away.map(({ message }) => message).join("; ");
  return { ok: away.length === 0, readAt: clock.now(), text: text || "no service is known to be away" };
}

async function ledgerLook({ store, clock }: Asked): Promise<Looked> {
  const readAt = await store.desk.oldestLook(clock.now());
  const text = readAt ? "each is read within 30 s when a job of it has ended" : "no request has a run to look at";
  return { ok: true, readAt, text };
}

async function sampleLook({ store, clock }: Asked): Promise<Looked> {
  const samples = await store.desk.history(null, new Date(clock.now().getTime() - 24 * HOUR_MS));
  return { ok: true, readAt: samples.at(-1)?.at ?? null, text: `${samples.length} of the last day` };
}

async function diskLook(path: string, now: Date): Promise<Looked> {
  const { bavail, bsize, blocks } = await statfs(path);
  const percent = blocks > 0 ? Math.round((100 * bavail) / blocks) : 0;
  return {
    ok: bavail > 0,
    readAt: now,
    text: `${((bavail * bsize) / 1e9).toFixed(1)} GB free (${percent} %) at ${path}`,
  };
}
