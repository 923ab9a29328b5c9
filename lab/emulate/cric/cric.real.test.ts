import { afterAll, beforeAll, expect, test } from "vitest";
import { call, type Reply } from "../../../tests/support/emulated-call.ts";
import { type Emulated, startEmulators } from "../index.ts";

let emulated: Emulated;
beforeAll(async () => {
  const sites = {
    T1_US_X: { rses: ["T1_US_X_Disk", "T3_US_Near"], prod_status: "drain" },
    T3_US_Bare: {},
    T2_CH_Gone: { rses: ["T2_CH_Gone"], state: "DISABLED" },
  };
  emulated = await startEmulators({ seed: { sites } });
});
afterAll(() => emulated.close());

const ask = (query: string): Promise<Reply> =>
  call(emulated, "GET", `${emulated.urls.cric}/api/cms/site/query/?${query}`);

test.each([
  ["json", { T1_US_X: { name: "T1_US_X", facility: "US_X", tier_level: 1 }, T3_US_Bare: {} }],
  ["json&name=T1_US_X&rcsite_state=ANY", { T1_US_X: { state: "ACTIVE" } }],
  [
    "json&preset=data-processing",
    {
      desc: { columns: ["psn_name", "phedex_name"] },
      result: [
        ["T1_US_X", "T1_US_X_Disk"],
        ["T1_US_X", "T3_US_Near"],
      ],
    },
  ],
])("%s", async (query, body) => {
  const reply = await ask(query);
  expect(reply.status).toBe(200);
  expect(reply.body).toMatchObject(body);
});

test("sites that are not active are told when any are asked for", async () => {
  const names = async (query: string) => {
    const { result } = (await ask(`json&preset=site-names${query}`)).body as { result: string[][] };
    return result.filter(([type]) => type === "psn").map(([, , alias]) => alias);
  };
  expect(await names("")).toEqual(["T1_US_X", "T3_US_Bare"]);
  expect(await names("&rcsite_state=ANY")).toEqual(["T1_US_X", "T3_US_Bare", "T2_CH_Gone"]);
});

test("who may work is told elsewhere", async () => {
  const { body } = await call(emulated, "GET", emulated.urls.siteStatus);
  expect(body).toMatchObject({
    csvdata: [{ VOName: "T1_US_X", Status: "drain", COLORNAME: "yellow", Tier: 1 }, {}, {}],
  });
  const documents = await call(emulated, "GET", emulated.urls.siteStatus.replace("prod_status", "sts15min"));
  expect(documents.body).toMatchObject([{ data: { name: "T1_US_X", prod_status: "drain" } }, {}, {}]);
});
