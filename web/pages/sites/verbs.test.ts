import { expect, test } from "vitest";
import { SITE_VERBS, type Site, siteLine, siteState, whyNotSite, withoutSite } from "./verbs.ts";

const ban = { id: "1", workflow_id: null, reason: "", created_at: "", expires_at: "" };
const site = (over: Partial<Site>): Site => ({ name: "north", status: "enabled", bans: [], ...over }) as Site;

test.each<[Partial<Site>, string, string]>([
  [{}, "enabled", "drain ban disable"],
  [{ status: "draining" }, "draining", "ban disable enable"],
  [{ bans: [ban] }, "banned", "drain ban disable unban"],
  [{ bans: [{ ...ban, workflow_id: "w" }] }, "enabled", "drain ban disable unban"],
  [{ status: "disabled", bans: [ban] }, "disabled", "drain ban enable unban"],
])("%o is %s: %s", (over, state, allowed) => {
  expect(siteState(site(over))).toBe(state);
  expect(SITE_VERBS.filter((verb) => whyNotSite(verb, site(over)) === null).join(" ")).toBe(allowed);
});

test("the button names how many it leaves without a site", () => {
  expect(withoutSite(0)).toBe("");
  expect(withoutSite(1)).toBe(": leaves 1 request without a site");
});

test("the command does what the button does", () => {
  expect(siteLine("ban", "north", { reason: "bad disks", days: 2 })).toBe(
    "wms2 sites ban north --days 2 --reason 'bad disks'",
  );
  expect(siteLine("drain", "north", { reason: "", days: 2 })).toBe("wms2 sites drain north --reason '…'");
});
