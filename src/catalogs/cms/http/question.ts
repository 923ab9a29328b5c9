import { WorldError } from "../../../core/base/errors.ts";
import type { Refusal, ServiceName } from "../services.ts";

/** One HTTP call, ready to be made. */
export interface Question {
  /** For metrics and logs: "blocks.close". */
  readonly operation: string;
  readonly method: "GET" | "POST" | "PUT" | "DELETE";
  readonly url: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  /** May be sent again when nobody knows whether it arrived: it changes nothing twice, or the second answer tells. */
  readonly repeatable: boolean;
  /** How long until its answer begins, where that is less than usual. */
  readonly answerSec?: number;
  /** Ends it early; that is nobody's failure. */
  readonly signal?: AbortSignal | undefined;
}

/** A question that only wants to know whether anybody answers. */
export const probe = (url: string): Question => ({
  operation: "ping",
  method: "GET",
  url,
  headers: { accept: "*/*" },
  repeatable: false,
  answerSec: 10,
});

/** A whole answer, whatever its status. */
export interface Answer {
  readonly status: number;
  /** By name in small letters. */
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string;
}

/** What differs between the services. */
export interface ServiceRules {
  readonly name: ServiceName;
  readonly requestsPerSec: number;
  /** Calls under way at once; a streamed answer counts until it begins. */
  readonly concurrency: number;
  /** The answer says that the service is not able to answer now, and why; null: it answered. */
  outage(answer: Answer): string | null;
  /** Why it said no; asked for answers that are neither an outage nor a success. */
  refusal(answer: Answer): Refusal;
  /** A row of a streamed answer that is no row: the service failed in the middle. */
  brokenRow(row: unknown): string | null;
}

/** What goes with every question to a service, and can run out. */
export interface Credentials {
  /** `rejected`: those of before, which the service does not take any more. */
  headers(rejected: Readonly<Record<string, string>> | null): Promise<Readonly<Record<string, string>>>;
  rejects(answer: Answer): boolean;
}

export const isSuccess = ({ status }: Answer): boolean => status >= 200 && status < 300;

const SERVICE_TITLES: Readonly<Record<ServiceName, string>> = {
  reqmgr2: "ReqMgr2",
  dbs: "DBS",
  rucio: "Rucio",
  cric: "CRIC",
};

/** Nobody answered, or not in full. */
export const unreachable = (service: ServiceName, reason: string, options: { cause?: unknown; hint: string }) =>
  new WorldError("catalog-unreachable", service, `${SERVICE_TITLES[service]}: ${reason}`, options);

/** A refusal where there is no value for it: nothing that reads is expected to be refused. */
export const refused = (service: ServiceName, { code, message, fix }: Refusal) =>
  new WorldError("catalog-refused", service, `${SERVICE_TITLES[service]} refused (${code}): ${message}`, { hint: fix });

const SIGN_IN = /sso|auth|login|sign-?in|openid|keycloak/i;

/** The front end answers without a body that anybody wrote for us: it did not let us in. */
export function notLetIn({ status, headers }: Answer): string | null {
  const sentTo = status >= 300 && status < 400 ? headers.location : undefined;
  if (sentTo && SIGN_IN.test(sentTo))
    return `it sends us to sign in at ${sentTo.split("?", 1)[0]} (HTTP ${status}): it did not take our certificate`;
  if (status !== 401 && status !== 403) return null;
  return `it does not accept our certificate, or not for this (HTTP ${status})`;
}

/** Gateways and servers that are too busy, alike for all services. */
export function busy({ status, text }: Answer): string | null {
  if (status === 429) return "we ask too often (HTTP 429)";
  return status >= 500 ? `HTTP ${status}: ${firstLine(text)}` : null;
}

const firstLine = (text: string): string => text.trim().split("\n", 1)[0]?.slice(0, 200) || "no words";

/** When the service gives no code of its own. */
export const plainRefusal = ({ status, text }: Answer): Refusal => ({
  kind: "refused",
  code: `HTTP ${status}`,
  message: firstLine(text),
  fix: status === 404 ? "check the address of the service: wms2 config show" : "see the message of the service",
});
