import { err, ok } from "../base/result.ts";
import { localDataset } from "../catalogs/local-dataset.ts";
import type { Catalog, RegisterOutcome } from "../catalogs/port.ts";
import type { InputFile, OutputFile } from "../domain/workflow.ts";

/** Datasets of the story (or files of this machine), and a ledger of outputs in memory. */
export class SimulatedCatalog implements Catalog {
  readonly name = "local";
  readonly registered = new Map<string, { request: string; unit: string; checksum: string }>();
  readonly #datasets: ReadonlyMap<string, readonly InputFile[]>;

  constructor(datasets: ReadonlyMap<string, readonly InputFile[]>) {
    this.#datasets = datasets;
  }

  async inputFiles(spec: Parameters<Catalog["inputFiles"]>[0]): ReturnType<Catalog["inputFiles"]> {
    const { input } = spec;
    if (input === null) return ok([]);
    if (input.from !== "dataset") return localDataset(input);
    const files = this.#datasets.get(input.dataset);
    if (files) return ok(files);
    return err({
      code: "unknown-dataset",
      message: `the story has no dataset ${input.dataset}`,
      evidence: { dataset: input.dataset },
    });
  }

  async register(request: string, unit: string, outputs: readonly OutputFile[]): Promise<RegisterOutcome> {
    let adopted = 0;
    for (const { lfn, checksum } of outputs) {
      const known = this.registered.get(lfn);
      if (known && known.checksum !== checksum)
        return { kind: "conflict", lfn, message: `${lfn} is in the ledger already, with another checksum` };
      if (known) adopted += 1;
      else this.registered.set(lfn, { request, unit, checksum });
    }
    return { kind: "registered", adopted };
  }
}
