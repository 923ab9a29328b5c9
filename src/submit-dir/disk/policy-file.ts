import { readFile } from "node:fs/promises";
import { parse } from "yaml";
import { WorldError } from "../../core/base/errors.ts";
import type { RecoveryOptions } from "../../recovery/policy-text.ts";
import { checkPolicy } from "../../recovery/read-policy.ts";

/** A file that cannot be used stops the server at its start: no attempt is classified by half a policy. */
export async function readPolicyFile(path: string | null): Promise<RecoveryOptions["installation"]> {
  if (path === null) return null;
  const bad = (message: string, cause?: unknown) =>
    new WorldError("bad-config", path, `recovery.policy_file ${path}: ${message}`, {
      cause,
      hint: `see all of it with: wms2 policy check ${path}`,
    });
  let document: unknown;
  try {
    document = parse(await readFile(path, "utf8"));
  } catch (error) {
    throw bad((error as Error).message, error);
  }
  const [first, ...more] = checkPolicy(document);
  if (first) throw bad(`${first.path}: ${first.message}${more.length > 0 ? ` (and ${more.length} more)` : ""}`);
  return document as Readonly<Record<string, unknown>>;
}
