import { join } from "node:path";
import { ok } from "../base/result.ts";
import { localDataset } from "./local-dataset.ts";
import { LocalLedger } from "./local-ledger.ts";
import type { Catalog } from "./port.ts";

/** Datasets are files of this machine; outputs go to a directory with a ledger. */
export function makeLocalCatalog(storageDir: string): Catalog {
  const ledger = new LocalLedger(join(storageDir, "ledger.jsonl"));
  return {
    name: "local",
    inputFiles: async (spec) => (spec.input ? localDataset(spec.input) : ok([])),
    register: (request, unit, outputs) => ledger.register(request, unit, outputs),
  };
}
