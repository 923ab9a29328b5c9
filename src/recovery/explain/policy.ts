import { type Attempt, NO_ATTEMPT, NO_REPORT, type Report } from "../attempt.ts";
import { ALIASES, isKillingSignal, signalName } from "../codes.ts";
import { decideAttempt } from "../decide.ts";
import type { Decision } from "../decision.ts";
import { type AttemptRecord, NO_HISTORY } from "../ledger-record.ts";
import { type Failure, readOutcome } from "../outcome.ts";
import { LAYERS, type Policy, type PolicyRow, type RowMatch, type RowSays, ruleOn, UNKNOWN_ROW } from "../policy.ts";
import { SETTING_KEYS } from "../read-policy.ts";
import { span } from "../reason.ts";
import { attemptRecord } from "../records.ts";

/** The policy in words: all of it, or what it says of one exit code. Text builders; nothing here decides. */

/** Which failures a row is for: "exit 8021", "SIGKILL", "held 13/2, stderr /…/". */
function describeMatch(match: RowMatch): string {
  const numbers = [...(match.codes ?? []).map(String), ...(match.ranges ?? []).map(([low, high]) => `${low}-${high}`)];
  const words = [
    ...(numbers.length > 0 ? [numbers.join(" ")] : []),
    ...(match.signals ?? []).map(signalName),
    ...(match.holds ?? []).map((hold) => `hold ${hold.join("/")}`),
    ...(match.signals ? [] : (match.causes ?? [])),
    ...(match.all ? ["any exit"] : []),
  ].join(" ");
  const text = match.stderr === undefined ? "" : ` with stderr /${match.stderr}/`;
  return `${words || "anything else"}${text}${match.roles ? ` in ${match.roles.join(", ")}` : ""}`;
}

/** What is done: "retry after 15 min, at another site, memory ×1.5, at most 3 times". */
function describeAction(says: RowSays, policy: Policy): string {
  const { settings } = policy;
  if (says.action === "stop") return "stop";
  if (says.action === "abort") return "abort the run";
  const { delay = "backoff" } = says;
  const wait =
    delay === "backoff"
      ? `with growing delay from ${span(settings.backoffBaseSec)}`
      : delay === "none" || delay === 0
        ? "at once"
        : `after ${span(delay === "fixed" ? settings.fixedDelaySec : delay === "long" ? settings.fixedDelaySec * 4 : delay)}`;
  const from = says.boostFrom && says.boostFrom > 1 ? ` from failure ${says.boostFrom} on` : "";
  const first = settings.firstRetryAtOnce && typeof delay === "string" && delay !== "none" ? "at once, then " : "";
  return [
    `retry ${first}${wait}`,
    ...(says.maxRetries === undefined ? [] : [says.maxRetries === 1 ? "once" : `at most ${says.maxRetries} times`]),
    ...(says.memoryFactor ? [`memory ×${says.memoryFactor}${from}`] : []),
    ...(says.wallFactor ? [`time ×${says.wallFactor}${from}`] : []),
    ...(says.changeSite ? [settings.siteAffinity ? describePinned(says) : "at another site"] : []),
    ...(says.avoidHost && settings.avoidHosts ? ["on another worker"] : []),
    ...(says.script ? [`after ${says.script}`] : []),
  ].join(", ");
}

/** A pinned unit changes site as a whole. */
const describePinned = ({ triesPerSite = 2 }: RowSays): string =>
  triesPerSite === 1
    ? "stopping for the unit to move"
    : `at most ${triesPerSite} executions at one site, then the unit moves`;

export function showPolicy(policy: Policy): string {
  const lines: string[] = ["Settings"];
  for (const [key, name] of Object.entries(SETTING_KEYS))
    lines.push(`  ${key.padEnd(24)} ${String(policy.settings[name])}`);
  for (const layer of LAYERS) {
    const rows = policy.rows.filter((row) => row.layer === layer);
    if (layer === "built-in") rows.push(UNKNOWN_ROW);
    if (rows.length === 0) continue;
    lines.push("", `${LAYER_TITLES[layer]} (${rows.length === 1 ? "1 row" : `${rows.length} rows`})`);
    for (const row of rows) lines.push(...rowLines(row, policy));
  }
  return `${lines.join("\n")}\n`;
}

const LAYER_TITLES = {
  request: "From the request",
  remembered: "Remembered",
  installation: "From the installation",
  "built-in": "Built in",
} as const;

function rowLines(row: PolicyRow, policy: Policy): string[] {
  const says = [row.category, row.action ? describeAction(row, policy) : describeParts(row)].filter(Boolean);
  const source = row.layer === "built-in" ? "" : `   [${row.source}]`;
  return [
    `  ${row.id.padEnd(26)} ${describeMatch(row.match)}${source}`,
    `  ${"".padEnd(26)} → ${says.join(": ") || "as the row beneath"}`,
    ...(row.meaning ? [`  ${"".padEnd(26)}   ${row.meaning}`] : []),
  ];
}

/** Every row in words, those that win over others first. */
export const policyRows = (policy: Policy) =>
  LAYERS.flatMap((layer) => [
    ...policy.rows.filter((row) => row.layer === layer),
    ...(layer === "built-in" ? [UNKNOWN_ROW] : []),
  ]).map((row) => ({
    id: row.id,
    layer: row.layer,
    source: row.source,
    match: describeMatch(row.match),
    does: row.action ? describeAction(row, policy) : describeParts(row) || "as the row beneath",
    category: row.category ?? null,
    meaning: row.meaning ?? null,
  }));

/** A row that does not say what to do only changes how. */
const describeParts = (row: PolicyRow): string =>
  [
    ...(row.maxRetries === undefined ? [] : [`at most ${row.maxRetries} retries`]),
    ...(typeof row.delay === "number" ? [`delay ${span(row.delay)}`] : []),
    ...(row.memoryFactor ? [`memory ×${row.memoryFactor}`] : []),
    ...(row.wallFactor ? [`time ×${row.wallFactor}`] : []),
    ...(row.script ? [`after ${row.script}`] : []),
  ].join(", ");

/** For programs: the settings as documents name them, and every row. */
export function policyView(policy: Policy): Readonly<Record<string, unknown>> {
  const settings = Object.fromEntries(Object.entries(SETTING_KEYS).map(([key, name]) => [key, policy.settings[name]]));
  return { version: 1, settings, rows: [...policy.rows, UNKNOWN_ROW] };
}

export interface Question {
  readonly code: number;
  readonly site: string | null;
  /** Which execution: 2 means it failed once before in the same way. */
  readonly attempt: number;
  readonly role: string;
  readonly maxRetries: number;
  /** The end of its log; "": nothing is known of it. */
  readonly stderr?: string;
}

/** What would become of a job that ended so, with this policy; and what if its codes had the other meaning. */
export function explainCode(question: Question, policy: Policy, now: Date) {
  const { text, decision } = explainOne(question, policy, now);
  /** The same end read with the other meaning of short codes, where that makes a difference. */
  const other = explainOne(question, otherSpeech(policy), now);
  if (decision.row?.id === other.decision.row?.id) return { decision, other: null, text };
  const [own, theirs] = policy.settings.cmsCodes
    ? [SPEECHES.cms, SPEECHES.ordinary]
    : [SPEECHES.ordinary, SPEECHES.cms];
  return { decision, other: other.decision, text: `${own}\n\n${text}\n${theirs}\n\n${other.text}` };
}

export const otherSpeech = ({ settings, rows }: Policy): Policy => ({
  rows,
  settings: { ...settings, cmsCodes: !settings.cmsCodes },
});

const SPEECHES = {
  ordinary: "For an ordinary program",
  cms: "For the framework (its report is there, or cmsRun or the simulator is the payload)",
} as const;

/** The attempts before it are played through, at the same site. */
function explainOne(question: Question, policy: Policy, now: Date): { decision: Decision; text: string } {
  const records: AttemptRecord[] = [];
  let attempt = sampleAttempt(question, 1);
  let decision = decideAttempt(attempt, NO_HISTORY, policy, now);
  for (let index = 2; index <= question.attempt; index++) {
    records.push(attemptRecord(attempt, decision, now));
    attempt = { ...sampleAttempt(question, index), memoryMb: decision.memoryMb, wallMinutes: decision.wallMinutes };
    decision = decideAttempt(attempt, { epoch: 0, records }, policy, now);
  }
  const outcome = readOutcome(attempt, policy.settings);
  if (outcome.kind === "succeeded") return { decision, text: "0: success; nothing to decide\n" };
  const { row, beneath, says } = ruleOn(outcome, attempt, policy);
  const lines = [
    `${title(question.code, outcome)}: ${says.meaning ?? "no row knows it"}`,
    "",
    `  category   ${says.category}`,
    `  cause      ${outcome.cause}`,
    `  action     ${describeAction(says, policy)}`,
    `  row        ${row.id} [${row.source}]`,
    ...beneath.map((lower) => `  beneath    ${lower.id} [${lower.source}]`),
    ...byLog(outcome, attempt, policy, row).map(
      (other) => `  with log   /${other.match.stderr}/: ${describeRow(other, policy)}`,
    ),
    ...notes(question.code, outcome, says, row).map((note) => `  note       ${note}`),
    "",
    `  Execution ${question.attempt} of a ${question.role} job${question.site ? ` at ${question.site}` : ""}, with ${attempt.memoryMb} MB and ${attempt.wallMinutes} minutes, ${question.maxRetries} retries in the run:`,
    `  ${decision.decision}: ${decision.reason}`,
  ];
  return { decision, text: `${lines.join("\n")}\n` };
}

/** Rows that would decide instead where the log says something: a question has no log. */
const byLog = (failure: Failure, attempt: Attempt, policy: Policy, decides: PolicyRow): readonly PolicyRow[] =>
  policy.rows.filter((row) => {
    const { stderr, ...match } = row.match;
    const isBelow = LAYERS.indexOf(row.layer) > LAYERS.indexOf(decides.layer);
    if (stderr === undefined || row.layer === "built-in" || isBelow) return false;
    const isOpen = Object.keys(match).every((key) => key === "roles");
    const alone = { ...row, match: isOpen ? { ...match, all: true } : match };
    return ruleOn(failure, attempt, { ...policy, rows: [alone] }).row.id === row.id;
  });

const describeRow = (row: PolicyRow, policy: Policy): string =>
  `${row.action ? describeAction(row, policy) : describeParts(row)} (${row.id}) [${row.source}]`;

function title(code: number, failure: Failure): string {
  const signal = failure.signal === null ? "" : ` = 128+${failure.signal}, ${signalName(failure.signal)}`;
  const alias = failure.shortCode === null ? "" : `, read as ${failure.exitCode}`;
  return `Exit ${code}${signal}${alias}`;
}

function notes(code: number, failure: Failure, says: RowSays, row: PolicyRow): string[] {
  const short = code & 0xff;
  const shows = `without a report it shows as ${short}`;
  const found: string[] = [];
  if (code > 255 && ALIASES[short] === code) found.push(`${shows}: the system keeps eight bits`);
  else if (code > 255 && short !== 0) found.push(`${shows}, which is read as ${shortMeaning(short)}`);
  if (failure.shortCode !== null) found.push("a guess: the long code comes from a table of likely ones");
  if (says.fileProof) found.push("a file that fails at two sites, or that the log calls broken, counts as bad data");
  if (row.vague) found.push("a guess; with pending_classification on, a person is asked instead");
  return found;
}

function shortMeaning(short: number): string {
  if (isKillingSignal(short - 128)) return signalName(short - 128);
  return String(ALIASES[short] ?? `plain ${short}`);
}

const SAMPLE: Attempt = { ...NO_ATTEMPT, node: "node", memoryMb: 2000, wallMinutes: 480 };

function sampleAttempt({ code, site, role, maxRetries, stderr = "" }: Question, cluster: number): Attempt {
  const report: Report = { ...NO_REPORT, state: "finished", node: SAMPLE.node, cluster, exitCode: code, site };
  const dagReturn = code < 0 ? code : Math.min(code, 1);
  return {
    ...SAMPLE,
    role,
    cluster,
    dagRetry: cluster - 1,
    maxRetries,
    dagReturn,
    report: code < 0 ? null : report,
    stderrTail: stderr,
    site,
  };
}
