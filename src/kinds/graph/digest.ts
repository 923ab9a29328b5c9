import { createHash } from "node:crypto";
import type { GraphJob } from "../../core/graph.ts";

/** What decides about a job's result: a job whose digest is as it was need not run again. `attached`: path → sha256. */
export function jobDigest(
  { argv, env, reads, makes }: Pick<GraphJob, "argv" | "env" | "reads" | "makes">,
  attached: ReadonlyMap<string, string>,
): string {
  const files = argv.flatMap((word) => {
    const sha256 = word.startsWith("./") ? attached.get(word.slice(2)) : undefined;
    return sha256 === undefined ? [] : [[word, sha256]];
  });
  const variables = Object.entries(env).sort(([a], [b]) => (a < b ? -1 : 1));
  return createHash("sha256")
    .update(JSON.stringify([argv, variables, files, reads, makes]))
    .digest("hex");
}
