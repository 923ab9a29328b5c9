import type { IntakeRules } from "../domain/submission.ts";
import type { LoopPolicy, Ports, Work } from "../lifecycle/ports.ts";
import { loadQueue } from "../lifecycle/queue.ts";
import { act } from "./act.ts";
import { actMany } from "./act-many.ts";
import { gatherAttempts } from "./attempts.ts";
import { retryBlocks, withdraw } from "./block-actions.ts";
import { classify, unclassified } from "./classify.ts";
import { gatherErrors } from "./gather-errors.ts";
import type { Commands } from "./port.ts";
import { retryNode } from "./retry-node.ts";
import { banSite, changeSite, siteEffect, unbanSite } from "./site-actions.ts";
import { check, preview, readDocument, submit } from "./submit.ts";
import { syncSites } from "./sync-sites.ts";
import { acknowledge, changeDag, reprioritize, setAdmission } from "./system-actions.ts";

/** Never works on the requests itself: whatever left the loop something to do nudges it. */
export function makeCommands(given: Ports, policy: LoopPolicy, rules: IntakeRules, nudge: () => void): Commands {
  const ports: Work = { ...given, policy };
  const nudging =
    <Args extends unknown[], Answer>(work: (...args: Args) => Promise<Answer>, isNews: (answer: Answer) => boolean) =>
    async (...args: Args): Promise<Answer> => {
      const answer = await work(...args);
      if (isNews(answer)) nudge();
      return answer;
    };
  const actFrom: Commands["act"] = async (name, { from, ...wanted }, by) => {
    if (from === undefined) return act(ports, name, wanted, by);
    const format = from.trimStart().startsWith("{") ? "json" : "yaml";
    const draft = readDocument({ text: from, format }, rules, by.actor, ports.kinds);
    return draft.ok
      ? act(ports, name, { ...wanted, draft: draft.value }, by)
      : { kind: "refused", problems: draft.error };
  };
  return {
    submit: submit.bind(null, ports, rules, nudge),
    check: check.bind(null, ports, rules),
    preview: preview.bind(null, ports),
    reprioritize: nudging(reprioritize.bind(null, ports), ({ kind }) => kind === "changed"),
    act: nudging(actFrom, ({ kind }) => kind === "done"),
    actMany: nudging(actMany.bind(null, ports), ({ results }) => results.some(({ answer }) => answer.kind === "done")),
    retryNode: nudging(retryNode.bind(null, ports), ({ kind }) => kind === "reserved"),
    classify: nudging(classify.bind(null, ports), (answer) => answer.kind === "done" && !!answer.resubmit),
    attempts: gatherAttempts.bind(null, ports),
    unclassified: unclassified.bind(null, ports),
    errors: gatherErrors.bind(null, ports),
    banSite: banSite.bind(null, ports),
    unbanSite: unbanSite.bind(null, ports),
    changeSite: changeSite.bind(null, ports),
    syncSites: nudging(syncSites.bind(null, ports), ({ kind }) => kind === "changes"),
    siteEffect: siteEffect.bind(null, ports),
    changeDag: changeDag.bind(null, ports),
    retryBlocks: nudging(retryBlocks.bind(null, ports), ({ kind }) => kind === "done"),
    withdraw: nudging(withdraw.bind(null, ports), ({ kind }) => kind === "done"),
    acknowledge: acknowledge.bind(null, ports),
    setAdmission: nudging(setAdmission.bind(null, ports), () => true),
    async queue() {
      const { active, limits, entries } = await loadQueue(ports);
      return { active, limits, entries };
    },
  };
}
