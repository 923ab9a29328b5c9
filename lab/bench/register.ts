import { makeCmsCatalog } from "../../src/catalogs/cms/catalog.ts";
import type { CmsServices } from "../../src/catalogs/cms/services.ts";
import type { CatalogBlock } from "../../src/catalogs/port.ts";
import type { UnitName } from "../../src/core/names.ts";
import type { UnitFiles } from "../../src/core/output-block.ts";
import { generateSpec } from "../../tests/support/sample-facts.ts";

const BLOCKS = 8;
const UNITS_PER_BLOCK = 50;
const FILES_PER_UNIT = 5;
/** Units that finish between two passes. */
const UNITS_AT_ONCE = 10;

export const REGISTERED = { units: BLOCKS * UNITS_PER_BLOCK, files: BLOCKS * UNITS_PER_BLOCK * FILES_PER_UNIT };

/** Whole blocks, from the first unit to the tape rule, as the walk over what is owed takes their steps. */
export async function register(services: CmsServices): Promise<{ readonly seconds: number }> {
  const { outputs } = makeCmsCatalog(services, {
    tapeExpression: "T1_XX_One_Tape",
    wanted: { team: null, campaigns: null },
    statuses: null,
    storedSites: async () => [],
  });
  const begun = performance.now();
  const all = Array.from({ length: BLOCKS }, async (_, index) => {
    let block = newBlock(index);
    const take = async (name: string, units: readonly UnitFiles[]) => {
      const step = outputs.steps.find((one) => one.name === name)!;
      const done = await outputs.run(step, block, units);
      if (done.kind !== "done") throw new Error(`${name}: ${JSON.stringify(done)}`);
      block = { ...block, receipts: { ...block.receipts, [name]: done.receipt } };
    };
    const units = unitsOf(index);
    for (let at = 0; at < units.length; at += UNITS_AT_ONCE) {
      for (const { name, when } of outputs.steps) {
        if (when === "each-unit") await take(name, units.slice(at, at + UNITS_AT_ONCE));
        else if (when !== "after-last-unit" && at === 0) await take(name, []);
      }
    }
    block = { ...block, files: UNITS_PER_BLOCK * FILES_PER_UNIT };
    for (const { name, when } of outputs.steps) if (when === "after-last-unit") await take(name, []);
  });
  await Promise.all(all);
  return { seconds: (performance.now() - begun) / 1000 };
}

const datasetOf = (index: number) => `/Bench${index}/Era26-test-v1/GEN-SIM`;
const newBlock = (index: number): CatalogBlock =>
  ({
    name: `${datasetOf(index)}#00000000-0000-4000-8000-000000000000`,
    dataset: datasetOf(index),
    site: "T1_XX_One",
    receipts: {},
    begun: [],
    files: 0,
    spec: { ...generateSpec(), metadata: {} },
  }) as unknown as CatalogBlock;

const unitsOf = (index: number): readonly UnitFiles[] =>
  Array.from({ length: UNITS_PER_BLOCK }, (_, unit) => ({
    unit: `mg_${String(unit).padStart(6, "0")}` as UnitName,
    mergedFrom: null,
    files: Array.from({ length: FILES_PER_UNIT }, (_, file) => {
      const lfn = `/store/mc/Era26/Bench${index}/GEN-SIM/test-v1/00000/u${unit}f${file}.root`;
      const dataset = datasetOf(index);
      const facts = { sizeBytes: 1000, checksum: "cksum:123", adler32: "0cc737eb", events: 10, parents: [] };
      return { output: "o", dataset, lfn, path: lfn, ...facts, runLumis: { "1": [[1, 2] as const] } };
    }),
  }));
