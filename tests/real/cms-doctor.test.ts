import { afterAll, beforeAll, expect, test } from "vitest";
import { type Emulated, startEmulators } from "../../lab/emulate/index.ts";
import { ensureBuilt } from "../support/built.ts";
import { wms2 } from "../support/cli.ts";
import { tempDir } from "../support/temp-dir.ts";

let emulated: Emulated;
beforeAll(async () => {
  await ensureBuilt();
  emulated = await startEmulators();
}, 180_000);
afterAll(() => emulated.close());

async function doctor(change: Readonly<Record<string, string>> = {}) {
  const settings = Object.entries({ ...emulated.settings, ...change }).flatMap(([key, value]) => [
    "--set",
    `${key}=${value}`,
  ]);
  const { code, stdout } = await wms2(["doctor", "--json", "--data-dir", tempDir("doctor"), ...settings]);
  const { checks } = JSON.parse(stdout) as { checks: { what: string; result: string; message: string; fix: string }[] };
  const about = (what: string) => checks.find((check) => check.what === what);
  return { code, about };
}

test("the doctor asks every service of the catalog, and says until when the certificate holds", async () => {
  const { code, about } = await doctor();
  expect(code).toBe(0);
  expect(about("identity")).toMatchObject({ result: "ok", message: expect.stringContaining("holds until") });
  for (const service of ["reqmgr2", "dbs", "rucio", "cric"]) expect(about(service)).toMatchObject({ result: "ok" });
});

test("a proxy that ran out, and a service that is not there", async () => {
  const { code, about } = await doctor({
    "catalog.cms.proxy_file": emulated.expiredProxyFile,
    "catalog.cms.cric_url": "https://127.0.0.1:1/cric",
  });
  expect(code).toBe(6);
  expect(about("identity")).toMatchObject({ result: "fail", fix: expect.stringContaining("renew") });
  expect(about("dbs")).toMatchObject({ result: "fail", message: expect.stringMatching(/expired at .*renew/) });
  expect(about("cric")).toMatchObject({ result: "fail", message: expect.stringContaining("nobody listens there") });
});
