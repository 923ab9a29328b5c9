import type { FailureHandler, FailureRule } from "../../src/core/request.ts";
import type { Policy } from "../../src/recovery/policy.ts";
import { handlerDocument, readPolicy } from "../../src/recovery/read-policy.ts";

export const rule = (changes: Partial<FailureRule>): FailureRule => ({
  exitCodes: [],
  matchAllExitCodes: false,
  causes: [],
  stderr: null,
  maxRetries: 3,
  delaySec: null,
  memoryFactor: null,
  wallFactor: null,
  script: null,
  ...changes,
});

export function withHandlers(rules: readonly FailureRule[], more: object = {}, roles = ["processing"]): Policy {
  const handler: FailureHandler = { name: "mine", roles, rules };
  const read = readPolicy({ version: 1, handlers: [handlerDocument(handler)], ...more });
  if (!read.ok) throw new Error(JSON.stringify(read.error));
  return read.value;
}
