import { beforeEach, expect, test } from "vitest";
import { makeWorld } from "../../../tests/support/world.ts";
import { WorldError } from "../../core/base/errors.ts";
import type { SiteName } from "../../core/names.ts";
import { usableSites } from "../../loop/gather-plan.ts";
import type { Ports } from "../../loop/ports.ts";
import { syncSites } from "./sync-sites.ts";

/** Sites from CRIC and a status source, over a real store. */
let world: Awaited<ReturnType<typeof makeWorld>>;
let listed: Record<string, readonly string[]>;
let statuses: (() => Promise<string>) | null;
let ports: Ports;
const sync = (dryRun = false) => syncSites(ports, { actor: "ann", dryRun });
const stored = async () =>
  (await world.store.sites.list()).map(({ name, status, rses, isActive }) =>
    [name, isActive ? status : "inactive", rses?.join(",") ?? "-"].join(" "),
  );

beforeEach(async () => {
  world = await makeWorld();
  listed = { T1_XX_One: ["T1_XX_One_Disk"], T2_XX_Two: ["T2_XX_Two"], T3_XX_None: [] };
  statuses = null;
  ports = {
    ...world.ports,
    catalog: {
      ...world.ports.catalog,
      sites: {
        list: async () => Object.entries(listed).map(([name, rses]) => ({ name: name as SiteName, rses })),
        get statuses() {
          return statuses;
        },
      },
    },
  };
});

test("a dry run says what would change; the sync changes it, once", async () => {
  const before = await stored();
  const would = await sync(true);
  expect(would).toMatchObject({ kind: "changes", changes: { length: 3 } });
  expect(await stored()).toEqual(before);
  expect(await sync()).toEqual(would);
  expect(await stored()).toEqual(
    [...before, "T1_XX_One enabled T1_XX_One_Disk", "T2_XX_Two enabled T2_XX_Two", "T3_XX_None enabled "].sort(),
  );
  expect(await sync()).toMatchObject({ changes: [] });
});

test("a drain from outside keeps new work away, and a person's word stays", async () => {
  await sync();
  await world.commands.changeSite("T1_XX_One" as SiteName, { status: "disabled" }, { actor: "ann", dryRun: false });
  statuses = async () =>
    '{"csvdata":[{"VOName":"T1_XX_One","Status":"enabled"},{"VOName":"T2_XX_Two","Status":"drain"}]}';
  expect(await sync()).toMatchObject({ changes: [{ name: "T2_XX_Two", what: "enabled → draining" }] });
  const usable = await usableSites(ports, null);
  expect(usable).not.toContain("T1_XX_One");
  expect(usable).not.toContain("T2_XX_Two");
  expect(usable).toContain("T3_XX_None");
});

test("an empty answer changes nothing and is an alert until the next good one", async () => {
  await sync();
  const before = await stored();
  const whole = listed;
  listed = {};
  expect(await sync()).toMatchObject({ kind: "refused", reason: "the catalog lists no site at all" });
  expect(await stored()).toEqual(before);
  expect((await world.store.alerts.open()).map(({ key }) => key)).toEqual(["sites:sync"]);
  listed = whole;
  await sync();
  expect(await world.store.alerts.open()).toEqual([]);
});

test("a status source that cannot be read leaves statuses alone, and is an alert", async () => {
  await sync();
  statuses = async () => {
    throw new WorldError("catalog-unreachable", "site status", "nobody answers");
  };
  expect(await sync()).toMatchObject({ changes: [], warnings: [expect.stringContaining("nobody answers")] });
  expect(await world.store.alerts.open()).toMatchObject([{ key: "sites:sync" }]);
});
