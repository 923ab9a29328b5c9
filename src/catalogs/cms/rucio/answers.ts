import { secondsBetween } from "../../../core/base/clock.ts";
import { parseJson } from "../../../core/base/json.ts";
import { type Answer, busy, notLetIn, plainRefusal, type ServiceRules } from "../http/question.ts";
import { BrokenAnswer, isRow, parseAnswer, type Row } from "../http/rows.ts";
import type { NewRule, Refusal } from "../services.ts";

/** What went wrong, by name: the status differs between versions of the server. null: these are not Rucio's words. */
function readException(answer: Answer): { readonly name: string; readonly message: string } | null {
  const parsed = parseJson(answer.text);
  const body = parsed.ok && isRow(parsed.value) ? parsed.value : {};
  const name = body.ExceptionClass ?? answer.headers.exceptionclass;
  if (typeof name !== "string" || name === "") return null;
  const message = String(body.ExceptionMessage ?? answer.headers.exceptionmessage ?? "no words");
  return { name, message: message.replaceAll(/\s+/g, " ").slice(0, 500) };
}

export const isException = (answer: Answer, ...names: readonly string[]): boolean =>
  names.includes(readException(answer)?.name ?? "");

const TRANSIENT = new Set([
  "DatabaseException",
  "ReplicationRuleCreationTemporaryFailed",
  "ServerConnectionException",
  "ServiceUnavailable",
]);

function outage(answer: Answer): string | null {
  const exception = readException(answer);
  if (exception === null) return notLetIn(answer) ?? busy(answer);
  if (exception.name === "CannotAuthenticate") return `it does not know us: ${exception.message}`;
  return TRANSIENT.has(exception.name) ? `${exception.name}: ${exception.message}` : null;
}

const FIXES: Readonly<Record<string, string>> = {
  InsufficientAccountLimit: "ask for quota for the account (catalog.cms.rucio_account) at this RSE",
  InsufficientTargetRSEs: "the expression leaves no RSE that may be written to: choose another one",
  InvalidRSEExpression: "no RSE matches the expression: check it with rucio rse list --rses",
  AccessDenied: "the account (catalog.cms.rucio_account) may not do this: ask the operators of Rucio",
  AccountNotFound: "check catalog.cms.rucio_account",
  RSENotFound: "check which RSE belongs to the site: wms2 sites",
  DataIdentifierNotFound: "retry the block, which makes what is missing",
  FileConsistencyMismatch: "the file is known with another size or checksum: ask who registered it",
  InvalidObject: "check names and checksums against the rules of Rucio",
  ScopeNotFound: "check catalog.cms.rucio_url: this server has no scope cms",
};

function refusal(answer: Answer): Refusal {
  const exception = readException(answer);
  if (exception === null) return plainRefusal(answer);
  const { name: code, message } = exception;
  return { kind: "refused", code, message, fix: FIXES[code] ?? "see the message of Rucio" };
}

export const RUCIO_RULES: ServiceRules = {
  name: "rucio",
  requestsPerSec: 50,
  concurrency: 16,
  outage,
  refusal,
  brokenRow: (row) =>
    isRow(row) && typeof row.ExceptionClass === "string" ? `the list ends in ${row.ExceptionClass}` : null,
};

export interface Token {
  readonly text: string;
  readonly expiresAt: Date;
}

export function readToken({ headers }: Answer): Token {
  const text = headers["x-rucio-auth-token"];
  const expiresAt = new Date(headers["x-rucio-auth-token-expires"] ?? "");
  if (!text || Number.isNaN(expiresAt.getTime())) throw new BrokenAnswer("the answer holds no token");
  return { text, expiresAt };
}

/** Where a file can be read: `rses` would leave out what has no protocol for us. */
export function readReplica(row: unknown): { readonly lfn: string; readonly rses: readonly string[] } {
  const { name: lfn, states } = row as Row;
  if (typeof lfn !== "string" || !isRow(states)) throw new BrokenAnswer("the answer is no list of replicas");
  return { lfn, rses: Object.keys(states).filter((rse) => states[rse] === "AVAILABLE") };
}

export function readRse(row: unknown): string {
  const { rse } = row as Row;
  if (typeof rse !== "string") throw new BrokenAnswer("the answer is no list of RSEs");
  return rse;
}

/** One id, as one name was asked for. */
export function readNewRule({ text }: Answer): string {
  const ids = parseAnswer(text);
  const id = Array.isArray(ids) ? ids[0] : null;
  if (typeof id !== "string") throw new BrokenAnswer("the answer holds no id of a rule");
  return id;
}

export interface Rule {
  readonly id: string;
  readonly copies: number;
  readonly expiresAt: Date | null;
}

export function readRule(row: unknown): Rule {
  const { id, copies, expires_at: expires } = row as Row;
  if (typeof id !== "string") throw new BrokenAnswer("the answer is no list of rules");
  return { id, copies: Number(copies ?? 1), expiresAt: typeof expires === "string" ? new Date(expires) : null };
}

/** A deleted rule stays for up to an hour, and longer when the server is busy. */
const SOON_SEC = 2 * 3600;

/** It would go though it is wanted longer. */
export function isAboutToGo({ expiresAt }: Rule, { lifetimeSec }: NewRule, now: Date): boolean {
  if (expiresAt === null) return false;
  return lifetimeSec === null || secondsBetween(now, expiresAt) < Math.min(SOON_SEC, lifetimeSec);
}
