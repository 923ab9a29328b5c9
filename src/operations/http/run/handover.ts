import { plainText } from "../../../core/base/plain-text.ts";
import type { RequestName } from "../../../core/names.ts";
import type { desk } from "../../desk.ts";
import {
  type Cause,
  type MoreLines,
  OPEN_ALERTS,
  type OpenMatter,
  shiftReportText,
  shiftSentence,
} from "../../handlers/port.ts";
import type { Call, Run } from "../call.ts";
import { asList, given } from "../cursor.ts";
import { sinceWhen } from "../since.ts";
import { wantsText } from "../text-twin.ts";

/** Lines of one kind: all of them together fit on a page. What is beyond is counted. */
const MOST_LINES = 8;
const MOST_CAUSES = 1000;

/** What a shift needs to know of the one before: what is open, and what happened. Each count is over all there is. */
export const handover: Run<typeof desk.handover> = async ({ since, kind, subject }, call) => {
  const at = call.ports.clock.now();
  const from = sinceWhen(since, at);
  const wanted = { since: from, most: MOST_LINES, ...given({ kinds: asList(kind), subject }) };
  const [{ groups, totals }, { all, open, more }] = await Promise.all([
    call.queries.happened(wanted),
    openMatters(call, subject),
  ]);
  const lines = new Map(groups.map(({ kind, linesOfKind }) => [kind, linesOfKind]));
  const others = [...lines].flatMap(([kind, all]): readonly MoreLines[] => {
    const shown = groups.filter((group) => group.kind === kind);
    const count = sumOf(totals.filter((total) => total.kind === kind)) - sumOf(shown);
    const command = `wms2 feed --since ${since} --kind ${kind}${subject === undefined ? "" : ` --subject ${subject}`}`;
    return all > shown.length ? [{ kind, lines: all - shown.length, count, command }] : [];
  });
  const sentence = shiftSentence(all, totals);
  const { host } = call.ports.info;
  const report = {
    ...{ host, since: from, at, sentence, entries: sumOf(totals), open, groups },
    more: [...more, ...others],
  };
  if (!wantsText(call.request.headers.accept)) return report;
  return call.text("text/plain; charset=utf-8", plainText(shiftReportText(report)));
};

const sumOf = (groups: readonly { readonly count: number }[]): number =>
  groups.reduce((sum, { count }) => sum + count, 0);

/** Who waits for a person, what fails, alerts about anything else, and sites that are not as usual. */
async function openMatters({ queries, commands }: Call, subject: string | undefined) {
  const [inNeed, causes, alerts, sites] = await Promise.all([
    queries.inNeed(subject as RequestName | undefined),
    subject === undefined ? commands.causes({ limit: MOST_CAUSES }) : null,
    queries.openAlertGroups(subject),
    queries.sites(),
  ]);
  const failing = (causes?.causes ?? []).filter(({ failures }) => failures > 0);
  const parts = [
    shortened(
      "held",
      inNeed.map(({ kind, code, count, since, text, names }) => {
        const command = `wms2 list --all --filter ${kind === "held" ? `status=held hold=${code}` : `wait=${code}`}`;
        return { kind, code, count, since, text, subjects: names, actor: null, command };
      }),
      "wms2 list --all --filter needs=person",
    ),
    shortened("cause", failing.map(causeMatter), "wms2 causes"),
    shortened(
      OPEN_ALERTS,
      alerts.map(({ family, severity, ...alert }) => ({
        ...{ kind: "alert" as const, code: `${severity}: ${family}`, ...alert },
        command: "wms2 alerts",
      })),
      "wms2 alerts",
    ),
    shortened(
      "site",
      sites.filter(({ name }) => subject === undefined || name === subject).flatMap(siteMatters),
      "wms2 sites",
    ),
  ];
  return {
    all: parts.flatMap(({ all }) => all),
    open: parts.flatMap(({ open }) => open),
    more: parts.flatMap(({ more }) => more),
  };
}

function shortened(kind: string, matters: readonly OpenMatter[], command: string) {
  const [open, rest] = [matters.slice(0, MOST_LINES), matters.slice(MOST_LINES)];
  const count = rest.reduce((sum, one) => sum + one.count, 0);
  return { all: matters, open, more: rest.length > 0 ? [{ kind, lines: rest.length, count, command }] : [] };
}

function causeMatter({ codeName, site, failures, requests, firstAt, names, meaning, example, suggestion }: Cause) {
  const { action, reason } = suggestion;
  return {
    kind: "cause" as const,
    code: [/^\d/.test(codeName) ? `exit ${codeName}` : codeName, site && `at ${site}`].filter(Boolean).join(" "),
    count: requests,
    since: firstAt,
    text: `${failures.toLocaleString("en")} failures: ${meaning ?? example.reason}; ${action}: ${reason}`,
    subjects: names,
    actor: null,
    command: "wms2 causes",
  };
}

type ListedSite = Awaited<ReturnType<Call["queries"]["sites"]>>[number];

/** Not as usual: its status, a ban for everybody, and those for single requests together. */
function siteMatters({ name, status, note, updatedAt, bans }: ListedSite): readonly OpenMatter[] {
  const matter = (since: Date, text: string): OpenMatter => ({
    ...{
      kind: "site",
      code: name,
      count: 1,
      since,
      text,
      subjects: [name],
      actor: null,
      command: `wms2 sites bans ${name}`,
    },
  });
  const until = (date: Date): string => `${date.toISOString().slice(0, 16)}Z`;
  const single = bans.filter(({ workflowId }) => workflowId !== null);
  const last = single.toSorted((a, b) => b.expiresAt.getTime() - a.expiresAt.getTime())[0];
  const whom = single.length === 1 ? "one request" : `${single.length.toLocaleString("en")} requests`;
  return [
    ...(status === "enabled" ? [] : [matter(updatedAt, [status, note].filter(Boolean).join(": "))]),
    ...bans
      .filter(({ workflowId }) => workflowId === null)
      .map(({ createdAt, expiresAt, reason }) => matter(createdAt, `banned until ${until(expiresAt)}: ${reason}`)),
    ...(last ? [matter(last.createdAt, `banned for ${whom} until ${until(last.expiresAt)}: ${last.reason}`)] : []),
  ];
}
