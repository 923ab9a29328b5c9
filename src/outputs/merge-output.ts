import { z } from "zod";
import { parseJson, toBigInt } from "../base/json.ts";
import { err, ok, type Result } from "../base/result.ts";
import { isSiteName, type SiteName } from "../domain/names.ts";
import type { OutputFile } from "../domain/workflow.ts";

/** What a unit says it produced (docs/submit-directory.md). */
export interface MergeOutput {
  readonly site: SiteName | null;
  readonly block: number;
  readonly events: bigint;
  readonly outputs: readonly OutputFile[];
}

const schema = z.object({
  version: z.literal(1),
  unit: z.string(),
  block: z.number().int().min(0),
  site: z.string().nullable(),
  events: z.union([z.number().int().min(0), z.string().regex(/^\d{1,18}$/)]).nullable(),
  outputs: z.array(
    z.object({
      output: z.string(),
      dataset: z.string(),
      lfn: z.string().min(1),
      path: z.string().min(1),
      sizeBytes: z.number().int().min(0).max(Number.MAX_SAFE_INTEGER),
      checksum: z.string().regex(/^cksum:\d{1,10}$/),
      events: z.number().int().min(0).nullable(),
      parents: z.array(z.string().max(4096)),
    }),
  ),
});

/** Text from a worker: trusted only after it parses and speaks of the right unit. */
export function parseMergeOutput(text: string | null, unit: string): Result<MergeOutput, string> {
  if (text === null) return err("it left no merge_output.json");
  const json = parseJson(text);
  if (!json.ok) return err(`its merge_output.json is not JSON (${json.error})`);
  const read = schema.safeParse(json.value);
  if (!read.success) {
    const issue = read.error.issues[0];
    return err(`its merge_output.json is not as agreed: ${issue?.path.join(".")}: ${issue?.message}`);
  }
  if (read.data.unit !== unit) return err(`its merge_output.json speaks of ${read.data.unit}`);
  const site = read.data.site && isSiteName(read.data.site) ? read.data.site : null;
  return ok({ site, block: read.data.block, events: toBigInt(read.data.events ?? 0), outputs: read.data.outputs });
}
