import { expect, test } from "vitest";
import { makeWorld, POLICY } from "../../tests/support/world.ts";
import { type DatasetCatalog, inPages } from "../catalogs/port.ts";
import { err, ok } from "../core/base/result.ts";
import type { RequestName, SiteName } from "../core/names.ts";
import type { InputFile } from "../core/workflow.ts";
import { gatherPlan, sitesWithSecondary, tellChanges } from "./gather-plan.ts";
import type { Work } from "./ports.ts";

test.each([
  ["the first look", { added: 9, firstAdded: ["a"], gone: [] }, 0, []],
  ["nothing", { added: 0, firstAdded: [], gone: [] }, 1, []],
  ["new files later", { added: 2, firstAdded: ["a", "b"], gone: [] }, 1, ["the catalog lists 2 new files: a, b"]],
  [
    "many that went",
    { added: 0, firstAdded: [], gone: ["a", "b", "c", "d"] },
    0,
    ["the catalog does not list 4 files any more; they are excluded: a, b, c, …"],
  ],
])("of changes of the input, people are told: %s", (_story, changes, round, expected) => {
  expect(tellChanges(changes, round)).toEqual(expected);
});

const north = "north" as SiteName;
const south = "south" as SiteName;
const file = (lfn: string): InputFile => ({ lfn, path: lfn, sizeBytes: 1, events: 10, lumis: [], sites: [north] });
const catalogOf = (files: () => readonly InputFile[], locate: DatasetCatalog["locate"] = async () => ok(null)) => ({
  open: async () => ok(inPages(files())),
  locate,
});

test("files that come and go between rounds are fresh or excluded, and named", async () => {
  const world = await makeWorld();
  let files = ["/a", "/b", "/c"].map(file);
  const catalog = { ...world.ports.catalog, datasets: catalogOf(() => files) };
  const ports: Work = { ...world.ports, catalog, policy: POLICY };
  const name = await world.submit(
    JSON.stringify({
      name: "r",
      kind: "process",
      input: { dataset: "/P/D-v1/RAW" },
      split: { by: "files", files_per_job: 1 },
      steps: [{ name: "s", run: ["/bin/true"] }],
      outputs: [{ name: "o", file: "o.out" }],
    }),
  );
  await world.pass();
  const planned = async (round: number) => {
    const facts = await gatherPlan(ports, await world.request(name), { ...(await world.workflow(name)), round }, []);
    if (!facts.ok) throw new Error(facts.error.message);
    return [facts.value.files.map(({ lfn }) => lfn), facts.value.warnings];
  };
  expect(await planned(0)).toEqual([["/a", "/b", "/c"], []]);
  files = ["/b", "/d"].map(file);
  expect(await planned(1)).toEqual([
    ["/b", "/d"],
    ["the catalog lists 1 new files: /d", "the catalog does not list 2 files any more; they are excluded: /a, /c"],
  ]);
  expect(await world.store.files.excluded((await world.workflow(name as RequestName)).id, 10)).toEqual([
    { file: "/a", reason: "the catalog does not list it any more" },
    { file: "/c", reason: "the catalog does not list it any more" },
  ]);
});

test.each([
  ["where it is", [{ dataset: "/pu", anywhere: false }], [south, north], [south]],
  ["anywhere, if it may be read from anywhere", [{ dataset: "/pu", anywhere: true }], [south, north], [south, north]],
  ["nowhere, with a reason, if no usable site has it", [{ dataset: "/pu", anywhere: false }], [north], "no-site"],
  ["nowhere, with a reason, if nobody knows it", [{ dataset: "/x", anywhere: false }], [north], "unknown-dataset"],
  ["anywhere, if sites have no names", [{ dataset: "/pu", anywhere: false }], null, null],
])("with a secondary input, units run %s", async (_story, secondary, usable, expected) => {
  const locate: DatasetCatalog["locate"] = async (dataset) =>
    dataset === "/pu" ? ok([south]) : err({ code: "unknown-dataset", message: "no", evidence: {} });
  const ports = { catalog: { datasets: catalogOf(() => [], locate) } } as unknown as Work;
  const sites = await sitesWithSecondary(ports, { kind: "generate", secondary }, usable);
  expect(sites.ok ? sites.value : sites.error.code).toEqual(expected);
});
