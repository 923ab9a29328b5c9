import { readFileSync } from "node:fs";
import type { Command } from "commander";
import { WorldError } from "../base/errors.ts";
import type { Problem } from "../domain/problem.ts";
import { parseDocument } from "../intake/parse-document.ts";
import { controlCode } from "../recovery/decision.ts";
import { explainCode, policyView, showPolicy } from "../recovery/explain.ts";
import { builtinPolicy, type Policy } from "../recovery/policy.ts";
import { readPolicy } from "../recovery/read-policy.ts";
import { replay } from "../recovery/replay.ts";
import { optionsOf } from "./settings.ts";
import { paintFor, print, printJson, talk, widthOf } from "./terminal.ts";
import { problemList } from "./view/problems.ts";

interface PolicyOptions {
  readonly policy?: string;
  readonly json?: boolean;
  readonly site?: string;
  readonly attempt?: string;
  readonly role?: string;
  readonly retries?: string;
  readonly history?: string;
  readonly now?: string;
}

/** The retry policy, without a server: what it is, what it says of a failure, and any decision again. */
export function addPolicy(program: Command): void {
  const policy = program
    .command("policy")
    .description("the retry policy: show it, explain a code, check a file, replay a decision");
  policy
    .command("show")
    .description("all rows in force, with where they come from")
    .option("--policy <file>", "an installation's policy, or the policy.json of a submit directory")
    .option("--json", "for programs")
    .action((_options: unknown, command: Command) => show(optionsOf<PolicyOptions>(command)));
  policy
    .command("explain <code>")
    .description("what an exit code means and what is done about it (137 and -9: signals; -1001: not submitted)")
    .option("--site <site>", "where the job ran")
    .option("--attempt <n>", "which execution it was; earlier ones failed alike", "1")
    .option("--role <role>", "landing, processing, merge or cleanup", "processing")
    .option("--retries <n>", "RETRY of the node in the DAG", "3")
    .option("--policy <file>", "an installation's policy, or the policy.json of a submit directory")
    .option("--json", "for programs")
    .addHelpText(
      "after",
      "\nExamples:\n  wms2 policy explain 8021 --site T2_XX_Alpha --attempt 2\n  wms2 policy explain -- -9",
    )
    .action((code: string, _options: unknown, command: Command) => explain(code, optionsOf<PolicyOptions>(command)));
  policy
    .command("check <file>")
    .description("all problems of a policy file, with their places")
    .option("--json", "for programs")
    .action((file: string, _options: unknown, command: Command) => check(file, optionsOf<PolicyOptions>(command)));
  policy
    .command("decide")
    .description("decide a recorded attempt again")
    .requiredOption("--attempt <file>", "the attempt as JSON, or the node's post.json")
    .option("--history <file>", "the unit's ledger.jsonl up to this attempt")
    .option("--policy <file>", "an installation's policy, or the policy.json of a submit directory")
    .option("--now <time>", "when it is decided (default: now)")
    .option("--json", "for programs")
    .action((_options: unknown, command: Command) => decide(optionsOf<PolicyOptions>(command)));
}

function show(options: PolicyOptions): void {
  const policy = policyFrom(options.policy);
  if (policy === null) return;
  if (options.json) printJson(policyView(policy));
  else print(showPolicy(policy));
}

function explain(code: string, options: PolicyOptions): void {
  const policy = policyFrom(options.policy);
  if (policy === null) return;
  const question = {
    code: wholeNumber("code", code, -2000, 999_999),
    site: options.site ?? null,
    attempt: wholeNumber("--attempt", options.attempt ?? "1", 1, 100),
    role: options.role ?? "processing",
    maxRetries: wholeNumber("--retries", options.retries ?? "3", 0, 1000),
  };
  const { decision, text } = explainCode(question, policy, new Date());
  if (options.json) printJson({ ...question, decision });
  else print(text);
}

function check(file: string, options: PolicyOptions): void {
  const read = readPolicyFile(file);
  const problems = read.ok ? [] : read.error;
  if (options.json) printJson({ file, ok: read.ok, problems });
  else if (read.ok)
    print(`${file} is fine: ${read.value.rows.filter((row) => row.layer !== "built-in").length} rows of its own`);
  else print(`${file} has ${problems.length === 1 ? "1 problem" : `${problems.length} problems`}\n${listed(problems)}`);
  if (!read.ok) process.exitCode = 2;
}

function decide(options: PolicyOptions): void {
  const now = options.now === undefined ? new Date() : new Date(options.now);
  const texts = {
    attempt: readText(options.attempt ?? ""),
    history: options.history === undefined ? "" : readText(options.history),
    policy: options.policy === undefined ? null : documentIn(options.policy),
  };
  const replayed = replay(texts, now);
  if (!replayed.ok) {
    refuse(options, replayed.error);
    return;
  }
  const { decision, ledgerProblems } = replayed.value;
  for (const problem of ledgerProblems) talk(`${options.history}:${problem.line}: ${problem.kind}: ${problem.message}`);
  if (options.json) printJson({ ...decision, controlCode: controlCode(decision), ledgerProblems });
  else print(`${decision.decision}: ${decision.reason}`);
}

/** null: it has problems, and they have been told. */
function policyFrom(file: string | undefined): Policy | null {
  if (file === undefined) return builtinPolicy();
  const read = readPolicyFile(file);
  if (read.ok) return read.value;
  refuse({}, read.error);
  return null;
}

const readPolicyFile = (file: string) => {
  const parsed = parseDocument(readText(file), formatOf(file));
  return parsed.ok ? readPolicy(parsed.value, file) : parsed;
};

/** Unreadable text is as wrong as a wrong value: it becomes a document that cannot be a policy. */
function documentIn(file: string): unknown {
  const parsed = parseDocument(readText(file), formatOf(file));
  return parsed.ok ? parsed.value : parsed.error.map(({ message }) => message).join("; ");
}

const formatOf = (file: string): "json" | "yaml" => (file.endsWith(".json") ? "json" : "yaml");

function refuse(options: PolicyOptions, problems: readonly Problem[]): void {
  if (options.json) printJson({ ok: false, problems });
  else talk(listed(problems));
  process.exitCode = 2;
}

const listed = (problems: readonly Problem[]): string =>
  problemList(problems, { width: widthOf(process.stdout), paint: paintFor(process.stdout) });

function wholeNumber(name: string, text: string, least: number, most: number): number {
  const value = /^-?\d{1,7}$/.test(text) ? Number(text) : Number.NaN;
  if (value >= least && value <= most) return value;
  throw new WorldError("bad-usage", name, `${name} must be a whole number from ${least} to ${most}, got "${text}"`);
}

function readText(file: string): string {
  try {
    return readFileSync(file === "-" ? 0 : file, "utf8");
  } catch (error) {
    throw new WorldError("bad-usage", file, `${file} cannot be read`, {
      cause: error,
      hint: "give the path of a file, or - for stdin",
    });
  }
}
