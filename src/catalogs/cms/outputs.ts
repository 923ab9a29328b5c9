import { groupBy } from "../../core/base/group-by.ts";
import type { OutputStep, UnitFiles } from "../../core/output-block.ts";
import type { OutputFile } from "../../core/workflow.ts";
import type { CatalogBlock, OutputCatalog, RefusedUnit, StepOutcome, StepRefusal } from "../port.ts";
import { adler32Of, datasetConfig, dbsDataset, dbsFile } from "./output-files.ts";
import type { CmsServices, Done, NewRule, Refusal } from "./services.ts";

export interface CmsOutputOptions {
  /** The RSE that a site's jobs write to; null: it has none. */
  rseOf(site: string): Promise<string | null>;
  /** Where closed blocks are kept for good, as Rucio's RSE expression; null: there is no tape, they stay on disk. */
  readonly tapeExpression: string | null;
}

/**
 * Rucio comes first: files are protected as soon as they are known, whatever becomes of DBS. DBS cannot move a file to
 * another block, so it hears of a block when its units stay in it. Both closed, the block goes to tape as a whole. The order
 * and its reasons: docs/adr/0014-output-ledger.md, docs/adr/0022-block-sizes.md.
 */
const STEPS = [
  { name: "place", service: "cric", when: "first-unit" },
  { name: "rucio-block", service: "rucio", when: "first-unit" },
  { name: "source-rule", service: "rucio", when: "first-unit" },
  { name: "replicas", service: "rucio", when: "each-unit", takes: "owed", leaves: "replicated" },
  { name: "rucio-container", service: "rucio", when: "firm" },
  { name: "dbs-block", service: "dbs", when: "firm" },
  { name: "files", service: "dbs", when: "each-unit", takes: "replicated", leaves: "registered" },
  { name: "close-dbs", service: "dbs", when: "after-last-unit" },
  { name: "close-rucio", service: "rucio", when: "after-last-unit" },
  { name: "tape-rule", service: "rucio", when: "after-last-unit" },
] as const satisfies readonly OutputStep[];
type StepName = (typeof STEPS)[number]["name"];

type Take = (block: CatalogBlock, units: readonly UnitFiles[]) => Promise<StepOutcome>;
type Services = Pick<CmsServices, "dbs" | "rucio">;
/** The rules that steps make; a step without one makes none. */
type Rules = Partial<Record<StepName, (block: CatalogBlock) => NewRule>>;

/** Blocks of files in DBS and Rucio. */
export function makeCmsOutputs(services: Services, options: CmsOutputOptions): OutputCatalog {
  const { tapeExpression } = options;
  const rules: Rules = {
    "source-rule": (block) => rule(block, rseOfBlock(block), "protects what was made there until it is elsewhere"),
    ...(tapeExpression && { "tape-rule": (block) => rule(block, tapeExpression, "keeps the whole block") }),
  };
  const take = makeSteps(services, rules, options);
  return {
    steps: STEPS.filter(({ name }) => name !== "tape-rule" || tapeExpression !== null),
    finally: tapeExpression === null ? "on_disk" : "archived",
    retries: "backoff",
    run: ({ name }, block, units) => take[name as StepName](block, units),
    ...makeWithdrawal(services, rules),
  };
}

function makeSteps({ dbs, rucio }: Services, rules: Rules, options: CmsOutputOptions): Record<StepName, Take> {
  const makeRule = (name: StepName): Take => {
    const ruleOf = rules[name];
    return async (block) => {
      const made = ruleOf ? await rucio.ensureRule(ruleOf(block)) : null;
      return made?.kind === "refused" ? made : done(made?.id ?? "none is wanted");
    };
  };
  return {
    place: ({ site }) => findRse(site, options),
    "rucio-block": async ({ name }) => receipt(await rucio.ensureBlock(name)),
    "source-rule": makeRule("source-rule"),
    // The rule of the block has Rucio copy there what was made elsewhere.
    replicas: async (block, units) => {
      const refused: RefusedUnit[] = [];
      for (const [rse, some] of groupBy(units, ({ mergedFrom }) => mergedFrom?.place ?? rseOfBlock(block))) {
        const outcome = await addUnits(some, missingAdler32, (files) =>
          rucio.addFiles(
            block.name,
            rse,
            files.map((file) => ({ lfn: file.lfn, sizeBytes: file.sizeBytes, adler32: adler32Of(file) })),
          ),
        );
        refused.push(...outcome.refused);
      }
      return { ...done("added"), refused };
    },
    "rucio-container": async ({ name, dataset }) => receipt(await rucio.ensureInContainer(name, dataset)),
    "dbs-block": async (block) => {
      const dataset = dbsDataset(block.spec, block.dataset);
      if ("fix" in dataset) return { kind: "refused", ...dataset };
      const known = await dbs.ensureDataset(dataset);
      return known.kind === "refused" ? known : receipt(await dbs.openBlock(block.name, rseOfBlock(block)));
    },
    files: (block, units) => {
      const config = datasetConfig(block.spec, block.dataset);
      return addUnits(
        units,
        (files) => missingAdler32(files) ?? missingLumis(files),
        (files) =>
          dbs.addFiles(
            block.name,
            files.map((file) => dbsFile(file, config)),
          ),
      );
    },
    "close-dbs": async ({ name, files }) => receipt(await dbs.closeBlock(name, files)),
    "close-rucio": async ({ name }) => receipt(await rucio.closeBlock(name)),
    "tape-rule": makeRule("tape-rule"),
  };
}

function makeWithdrawal(
  { dbs, rucio }: Services,
  rules: Rules,
): Pick<OutputCatalog, "withdrawRules" | "withdrawFiles"> {
  return {
    async withdrawRules(block) {
      const deleted: string[] = [];
      for (const [step, ruleOf] of Object.entries(rules).filter(([name]) => block.begun.includes(name))) {
        // Begun without a receipt: it may be there. Made once more, it is adopted, and its id known.
        const id = block.receipts[step] ?? (await lookUp(ruleOf(block)));
        const outcome = id === null ? null : await rucio.deleteRule(id);
        if (outcome?.kind === "refused") return outcome;
        if (id !== null) deleted.push(id);
      }
      return done(deleted.join(" "));
    },

    async withdrawFiles(block, units, known) {
      if (!block.begun.includes("dbs-block")) return done("never in DBS");
      const there = known ? null : await lfnsIn(block.name);
      const lfns = units.flatMap(({ files }) => files.map(({ lfn }) => lfn));
      for (const lfn of lfns.filter((one) => there === null || there.has(one))) {
        const outcome = await dbs.invalidateFile(lfn);
        if (outcome.kind === "refused") return outcome;
      }
      return done("invalidated");
    },
  };

  async function lookUp(wanted: NewRule): Promise<string | null> {
    const found = await rucio.ensureRule(wanted);
    return found.kind === "refused" ? null : found.id;
  }

  /** What is in a block of ours was put there by us; a file of the same name elsewhere is somebody else's. */
  async function lfnsIn(block: string): Promise<ReadonlySet<string>> {
    const lfns = new Set<string>();
    for await (const page of dbs.files(block)) for (const { lfn } of page) lfns.add(lfn);
    return lfns;
  }
}

const done = (receipt: string) => ({ kind: "done", receipt }) as const;
const receipt = (outcome: Done): StepOutcome =>
  outcome.kind === "refused" ? outcome : done(outcome.adopted ? "adopted" : "done");

/** As it was when the block was begun: a site that moves its storage does not tear a block apart. */
const rseOfBlock = ({ receipts }: CatalogBlock): string => receipts.place ?? "";

async function findRse(site: string, { rseOf }: CmsOutputOptions): Promise<StepOutcome> {
  const rse = site === "" ? null : await rseOf(site);
  if (rse !== null) return done(rse);
  const message = site === "" ? "nobody knows at which site its units ran" : `site ${site} has no RSE`;
  const fix = "give the site its storage in CRIC, then wms2 sites sync; the next try goes by it";
  return { kind: "refused", code: "no-rse", message, fix };
}

const rule = ({ name, requestName }: CatalogBlock, rseExpression: string, why: string): NewRule => ({
  block: name,
  rseExpression,
  lifetimeSec: null,
  activity: "Production Output",
  comment: `WMS2, ${requestName}: ${why}`,
});

const missingAdler32 = (files: readonly OutputFile[]): StepRefusal | null => {
  const bare = files.find(({ adler32 }) => adler32 === undefined);
  if (!bare) return null;
  const message = `${bare.lfn} has no adler32 checksum, and Rucio takes no file without`;
  return { code: "no-adler32", message, fix: "install python3 or xrdadler32 at the site, and run the unit again" };
};

/** Made up ones would be believed for ever. A file without events may be without lumis. */
const missingLumis = (files: readonly OutputFile[]): StepRefusal | null => {
  const bare = files.find(({ events, runLumis }) => events !== 0 && Object.keys(runLumis ?? {}).length === 0);
  if (!bare) return null;
  const message = `nobody knows of which runs and lumis ${bare.lfn} is, and none are made up for DBS`;
  const fix =
    "see that DBS knows the lumis of the input, then restart the request; or withdraw it: wms2 blocks withdraw";
  return { code: "no-lumis", message, fix };
};

/** Calls that looking for refused units may take beside the first; the rest of them is then refused together. */
const SEARCH_CALLS = 40;

/** All at once; where that is refused, in halves, until it is known whose files are refused. */
async function addUnits(
  units: readonly UnitFiles[],
  problem: (files: readonly OutputFile[]) => StepRefusal | null,
  add: (files: readonly OutputFile[]) => Promise<Done>,
): Promise<{ readonly kind: "done"; readonly receipt: string; readonly refused: readonly RefusedUnit[] }> {
  const bad = new Map(units.flatMap(({ unit, files }) => [[unit, problem(files)] as const]));
  const refused: RefusedUnit[] = units.flatMap(({ unit }) => {
    const why = bad.get(unit);
    return why ? [{ unit, ...why }] : [];
  });
  let calls = SEARCH_CALLS;
  const search = async (some: readonly UnitFiles[]): Promise<void> => {
    if (some.length === 0) return;
    const outcome = await add(some.flatMap(({ files }) => files));
    if (outcome.kind === "done") return;
    calls -= 1;
    if (some.length === 1 || calls <= 0) {
      refused.push(...some.map(({ unit }) => ({ unit, ...plain(outcome) })));
      return;
    }
    const half = some.length >> 1;
    await search(some.slice(0, half));
    await search(some.slice(half));
  };
  await search(units.filter(({ unit }) => !bad.get(unit)));
  return { ...done("added"), refused };
}

const plain = ({ code, message, fix }: Refusal): StepRefusal => ({ code, message, fix });
