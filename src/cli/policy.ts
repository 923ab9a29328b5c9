import { WorldError } from "../core/base/errors.ts";
import type { Result } from "../core/base/result.ts";
import type { Problem } from "../core/problem.ts";
import type { RememberedRule } from "../core/rule.ts";
import { controlCode } from "../recovery/decision.ts";
import { explainCode, policyView, showPolicy } from "../recovery/explain/policy.ts";
import { replay } from "../recovery/explain/replay.ts";
import type { Policy } from "../recovery/policy.ts";
import { policyText } from "../recovery/policy-text.ts";
import { readPolicy } from "../recovery/read-policy.ts";
import { command, group } from "./command.ts";
import { clientFor, liveServer, namedServer } from "./reach.ts";
import { readDocument, readText } from "./request-file.ts";
import { type GlobalOptions, settingsFrom } from "./settings.ts";
import { lookAt, talk } from "./terminal.ts";
import { problemList } from "./view/problems.ts";
import { count } from "./view/text.ts";

const POLICY = "an installation's policy, or the policy.json of a submit directory";
const JSON_WORDS = "for programs";
const FILE_HINT = "give the path of a file, or - for stdin";

const show = command("show", {
  about: "all rows in force, with where they come from; those that people remembered, if a server runs",
  options: { "--policy <file>": POLICY },
  json: JSON_WORDS,
  async run({ options }) {
    const read = await policyFrom(options);
    if (!read.ok) return refuse(read.error);
    return { json: policyView(read.value), page: () => showPolicy(read.value) };
  },
});

const explain = command("explain <code>", {
  about: "what an exit code means and what is done about it (137 and -9: signals; -1001: not submitted)",
  options: {
    "--site <site>": "where the job ran",
    "--attempt <n>": { about: "which execution it was; earlier ones failed in the same way", fallback: "1" },
    "--role <role>": { about: "landing, processing, merge or cleanup", fallback: "processing" },
    "--retries <n>": { about: "RETRY of the node in the DAG", fallback: "3" },
    "--stderr <text>": "what the end of its log says, for rows that look there",
    "--policy <file>": POLICY,
  },
  json: JSON_WORDS,
  examples: ["wms2 policy explain 8021 --site T2_XX_Alpha --attempt 2", "wms2 policy explain -- -9"],
  async run({ options }, code: string) {
    const read = await policyFrom(options);
    if (!read.ok) return refuse(read.error);
    const question = {
      code: wholeNumber("code", code, -2000, 999_999),
      site: options.site ?? null,
      attempt: wholeNumber("--attempt", options.attempt, 1, 100),
      role: options.role,
      maxRetries: wholeNumber("--retries", options.retries, 0, 1000),
      ...(options.stderr !== undefined && { stderr: options.stderr }),
    };
    const { text, ...decisions } = explainCode(question, read.value, new Date());
    return { json: { ...question, ...decisions }, page: () => text };
  },
});

const check = command("check <file>", {
  about: "all problems of a policy file, with their places",
  options: {},
  json: JSON_WORDS,
  run(_, file: string) {
    const read = readPolicyFile(file);
    if (read.ok) {
      const own = read.value.rows.filter((row) => row.layer !== "built-in").length;
      return { json: { file, ok: true, problems: [] }, page: () => `${file} is fine: ${own} rows of its own` };
    }
    const problems = read.error;
    return {
      json: { file, ok: false, problems },
      page: (look) => `${file} has ${count(problems.length, "problem")}\n${problemList(problems, look)}`,
      exit: 2,
    };
  },
});

const decide = command("decide", {
  about: "decide a recorded attempt again",
  options: {
    "--attempt <file>": { about: "the attempt as JSON, or the node's post.json", required: true },
    "--history <file>": "the unit's ledger.jsonl up to this attempt",
    "--policy <file>": POLICY,
    "--now <time>": "when it is decided (default: now)",
  },
  json: JSON_WORDS,
  run({ options: { attempt, history, policy, now, json } }) {
    const text = (file: string) => readText(file, file, { hint: FILE_HINT });
    const texts = {
      attempt: text(attempt),
      history: history === undefined ? "" : text(history),
      policy: policy === undefined ? null : documentIn(policy),
    };
    const replayed = replay(texts, now === undefined ? new Date() : new Date(now));
    if (!replayed.ok && json) return { json: { ok: false, problems: replayed.error }, exit: 2 };
    if (!replayed.ok) return refuse(replayed.error);
    const { decision, other, ledgerProblems } = replayed.value;
    for (const { line, kind, message } of ledgerProblems) talk(`${history}:${line}: ${kind}: ${message}`);
    return {
      json: { ...decision, controlCode: controlCode(decision), other, ledgerProblems },
      page: () =>
        [decision, ...(other ? [other] : [])]
          .map(
            ({ decision, reason }, at) =>
              `${at > 0 ? "with the other meaning of the code: " : ""}${decision}: ${reason}`,
          )
          .join("\n"),
    };
  },
});

const forget = command("forget <id>", {
  about: "withdraw a remembered rule: runs planned or rescued from now on know it no more",
  options: { "--dry-run": "only say what would be done" },
  examples: ["wms2 policy forget rule-3f2a91c04d"],
  async run({ client, options }, id: string) {
    const rule = await client.recovery.forget({ id, dry_run: options.dryRun === true });
    const verb = options.dryRun ? "would be forgotten" : "forgotten";
    return {
      json: rule,
      note: `${verb}: ${rule.id}, ${rule.action} /${rule.stderr}/, by ${rule.actor}: ${rule.reason}`,
    };
  },
});

/** The retry policy, mostly without a server: what it is, what it says of a failure, and any decision again. */
export const addPolicy = group("policy", "the retry policy: show it, explain a code, check a file, replay a decision", [
  show,
  explain,
  check,
  decide,
  forget,
]);

/** Without a file: what the submit directory of a request without handlers would say, by the settings in force. */
async function policyFrom({
  policy,
  ...options
}: GlobalOptions & { policy?: string }): Promise<Result<Policy, Problem[]>> {
  if (policy !== undefined) return readPolicyFile(policy);
  const { recoveryOptions } = await import("../main.ts");
  const recovery = await recoveryOptions(settingsFrom(options).config);
  const spec = { steps: [], recovery: { handlers: [], pendingClassification: false } };
  return readPolicy(JSON.parse(policyText(recovery, spec, await remembered(options))), "installation");
}

/** What people have remembered is in the database: only a server can tell. Without one, the rest is shown. */
async function remembered(options: GlobalOptions): Promise<readonly RememberedRule[]> {
  const isServed = namedServer(options) !== undefined || liveServer(settingsFrom(options).config.data_dir) !== null;
  if (!isServed) return [];
  try {
    const { items } = await clientFor(options).recovery.rules();
    return items.map(({ exit_code: exitCode, request_name: requestName, created_at, ...rule }) => ({
      ...rule,
      exitCode,
      requestName,
      createdAt: new Date(created_at),
    }));
  } catch (error) {
    if (!(error instanceof WorldError)) throw error;
    talk(`remembered rules are not shown: ${error.message}`);
    return [];
  }
}

function readPolicyFile(file: string): Result<Policy, Problem[]> {
  const parsed = readDocument(file, FILE_HINT);
  return parsed.ok ? readPolicy(parsed.value, file) : parsed;
}

/** Unreadable text is as wrong as a wrong value: it becomes a document that cannot be a policy. */
function documentIn(file: string): unknown {
  const parsed = readDocument(file, FILE_HINT);
  return parsed.ok ? parsed.value : parsed.error.map(({ message }) => message).join("; ");
}

function refuse(problems: readonly Problem[]): undefined {
  talk(problemList(problems, lookAt(process.stderr)));
  process.exitCode = 2;
}

function wholeNumber(name: string, text: string, least: number, most: number): number {
  const value = /^-?\d{1,7}$/.test(text) ? Number(text) : Number.NaN;
  if (value >= least && value <= most) return value;
  throw new WorldError("bad-usage", name, `${name} must be a whole number from ${least} to ${most}, got "${text}"`);
}
