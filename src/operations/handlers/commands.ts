import type { IntakeRules } from "../../core/submission.ts";
import type { LoopPolicy, Ports, Work } from "../../loop/ports.ts";
import { loadQueue } from "../../loop/queue.ts";
import { act } from "./act.ts";
import { actMany } from "./act-many.ts";
import { gatherAttempts } from "./attempts.ts";
import { retryBlocks, withdraw } from "./block-actions.ts";
import { classify, unclassified } from "./classify.ts";
import { deskCommands } from "./desk.ts";
import { failureGroups } from "./failure-groups.ts";
import { fill, fillPlan } from "./fill.ts";
import { exportState, importState } from "./frepp-state.ts";
import { retryTransfers, transfers } from "./frepp-transfers.ts";
import { gatherErrors } from "./gather-errors.ts";
import { explain, rowsInForce } from "./policy-question.ts";
import type { Commands } from "./port.ts";
import { listNodes, releaseNodes, verify } from "./product-actions.ts";
import { recover } from "./recover.ts";
import { forgetRule } from "./remember.ts";
import { replayLast } from "./replay.ts";
import { gatherResults } from "./results.ts";
import { retryNode } from "./retry-node.ts";
import { runDocument } from "./run.ts";
import { banSite, changeSite, unbanSite } from "./site-actions.ts";
import { check, preview, readText, submit, submittedDocument } from "./submit.ts";
import { syncSites } from "./sync-sites.ts";
import { acknowledge, changeDag, reprioritise, setAdmission } from "./system-actions.ts";

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
  return {
    submit: submit.bind(null, ports, rules, nudge),
    run: nudging(runDocument.bind(null, ports, rules), ({ ok }) => ok),
    check: check.bind(null, ports, rules),
    document: submittedDocument.bind(null, ports),
    preview: preview.bind(null, ports),
    reprioritise: nudging(reprioritise.bind(null, ports), ({ kind }) => kind === "changed"),
    act: nudging(actFrom(ports, rules), ({ kind }) => kind === "done"),
    actMany: nudging(actMany.bind(null, ports), ({ results }) => results.some(({ answer }) => answer.kind === "done")),
    retryNode: nudging(retryNode.bind(null, ports), ({ kind }) => kind === "reserved"),
    classify: nudging(classify.bind(null, ports), (answer) => answer.kind === "done" && !!answer.resubmit),
    recover: nudging(recover.bind(null, ports), ({ kind }) => kind === "done"),
    failureGroups: failureGroups.bind(null, ports),
    rules: () => ports.store.rules.list(),
    forgetRule: forgetRule.bind(null, ports),
    attempts: gatherAttempts.bind(null, ports),
    results: gatherResults.bind(null, ports),
    unclassified: unclassified.bind(null, ports),
    explain: explain.bind(null, ports),
    policyRows: rowsInForce.bind(null, ports),
    replay: replayLast.bind(null, ports),
    errors: gatherErrors.bind(null, ports),
    banSite: banSite.bind(null, ports),
    unbanSite: unbanSite.bind(null, ports),
    changeSite: changeSite.bind(null, ports),
    syncSites: nudging(syncSites.bind(null, ports), ({ kind }) => kind === "changes"),
    changeDag: changeDag.bind(null, ports),
    retryBlocks: nudging(retryBlocks.bind(null, ports), ({ kind }) => kind === "done"),
    withdraw: nudging(withdraw.bind(null, ports), ({ kind }) => kind === "done"),
    importState: nudging(importState.bind(null, ports), ({ kind }) => kind === "done"),
    exportState: exportState.bind(null, ports),
    transfers: transfers.bind(null, ports),
    retryTransfers: nudging(retryTransfers.bind(null, ports), ({ kind }) => kind === "done"),
    fillPlan: fillPlan.bind(null, ports),
    fill: nudging(fill.bind(null, ports), ({ kind }) => kind === "done"),
    verify: nudging(verify.bind(null, ports), ({ kind }) => kind === "done"),
    releaseNodes: nudging(releaseNodes.bind(null, ports), ({ kind }) => kind === "done"),
    nodes: listNodes.bind(null, ports),
    acknowledge: acknowledge.bind(null, ports),
    setAdmission: nudging(setAdmission.bind(null, ports), () => true),
    ...deskCommands(ports),
    async queue() {
      const { active, limits, entries } = await loadQueue(ports);
      return { active, limits, entries };
    },
  };
}

/** An action may bring a document with it: what takes the place of the request. */
const actFrom =
  (ports: Work, rules: IntakeRules): Commands["act"] =>
  async (name, { from, ...wanted }, by) => {
    if (from === undefined) return act(ports, name, wanted, by);
    const format = from.trimStart().startsWith("{") ? "json" : "yaml";
    const read = await readText(ports, { text: from, format }, rules, by.actor);
    if (!read.ok) return { kind: "refused", problems: read.error };
    const draft = read.value.kind === "read" ? { draft: { ...read.value.submission, document: from } } : {};
    return act(ports, name, { ...wanted, ...draft }, by);
  };
