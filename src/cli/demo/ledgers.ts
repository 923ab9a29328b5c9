import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { parseJson } from "../../base/json.ts";
import type { AttemptRecord } from "../../recovery/ledger-record.ts";

export interface Attempt extends AttemptRecord {
  readonly unit: string;
}

/** All attempts of a request, from the ledgers its work units left in the spool; the order within a unit is kept. */
export function readAttempts(spoolDir: string, request: string): readonly Attempt[] {
  const folder = join(spoolDir, request);
  return readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith("/ledger.jsonl"))
    .sort()
    .flatMap((name) => {
      const unit = name.split("/").at(-2) ?? "";
      const lines = readFileSync(join(folder, name), "utf8").split("\n").filter(Boolean);
      return lines.flatMap((line) => {
        const json = parseJson(line);
        return json.ok ? [{ ...(json.value as AttemptRecord), unit }] : [];
      });
    });
}

/** A job that failed at least once, and what became of it. */
export interface Recovery {
  readonly unit: string;
  readonly node: string;
  readonly failures: readonly string[];
  /** The attempt that succeeded; null: none did. */
  readonly done: Attempt | null;
  readonly attempts: number;
}

export function recoveriesOf(attempts: readonly Attempt[]): readonly Recovery[] {
  const byNode = new Map<string, Attempt[]>();
  for (const attempt of attempts) {
    const key = `${attempt.unit}/${attempt.node}`;
    byNode.set(key, [...(byNode.get(key) ?? []), attempt]);
  }
  return [...byNode.values()].flatMap((own) => {
    const failed = own.filter(({ decision }) => decision !== "done");
    const [first] = own;
    if (failed.length === 0 || !first) return [];
    const done = own.find(({ decision }) => decision === "done") ?? null;
    const { unit, node } = first;
    return [{ unit, node, failures: failed.map(({ reason }) => reason), done, attempts: own.length }];
  });
}
