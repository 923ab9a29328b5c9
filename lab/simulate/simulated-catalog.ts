import { ledgerOutputs } from "../../src/catalogs/local-catalog.ts";
import { type Catalog, inPages } from "../../src/catalogs/port.ts";
import { err, ok } from "../../src/core/base/result.ts";
import type { InputFile } from "../../src/core/workflow.ts";

/** Datasets of the story beside those of another catalog, and a ledger of outputs in memory. */
export function makeSimulatedCatalog(datasets: ReadonlyMap<string, readonly InputFile[]>, beside: Catalog): Catalog {
  const checksums = new Map<string, string>();
  return {
    ...beside,
    datasets: {
      locate: async () => ok(null),
      async open(input, wanted, signal) {
        if (input.from !== "dataset") return beside.datasets.open(input, wanted, signal);
        const { dataset } = input;
        const files = datasets.get(dataset);
        if (files) return ok(inPages(files));
        return err({ code: "unknown-dataset", message: `the story has no dataset ${dataset}`, evidence: { dataset } });
      },
    },
    outputs: ledgerOutputs(async (_request, _unit, files) => {
      let adopted = 0;
      for (const { lfn, checksum } of files) {
        const known = checksums.get(lfn);
        if (known !== undefined && known !== checksum)
          return { kind: "conflict", lfn, message: `${lfn} is in the ledger already, with another checksum` };
        if (known !== undefined) adopted += 1;
        checksums.set(lfn, checksum);
      }
      return { kind: "registered", adopted };
    }),
  };
}
