import { z } from "zod";
import { IMPORT_OUTCOMES } from "../core/import.ts";
import { paging } from "./inputs.ts";
import { reads } from "./operation.ts";
import { named, pageOf, strings, time } from "./wire.ts";

export const importSchema = named("Import", {
  name: z.string(),
  outcome: z.enum(IMPORT_OUTCOMES).describe("passed-over: it is for another system"),
  reasons: strings.describe("Why it was refused or passed over"),
  changes: strings.describe("How the document differs there from what was imported; never applied"),
  their_status: z.string().nullable().describe("Its status there, as last seen"),
  told_status: z.string().nullable().describe("Our status they know of"),
  tries: z.int().describe("Of telling them the present one"),
  last_error: z.string().nullable(),
  next_try_at: time.nullable(),
  created_at: time,
  looked_at: time,
});
export type ImportView = z.infer<typeof importSchema>;

/** What came from ReqMgr2, and what did not. */
export const imports = {
  list: reads("/imports", "What was imported from ReqMgr2 or could not be, newest first", {
    query: z.strictObject({
      ...paging,
      outcome: z.enum(IMPORT_OUTCOMES).optional().describe(IMPORT_OUTCOMES.join(", ")),
    }),
    answer: pageOf("ImportPage", importSchema),
  }),
};
