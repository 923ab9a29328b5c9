import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { fakeApi } from "../../../tests/support/api-fakes.ts";

const deskDir = mkdtempSync(join(tmpdir(), "wms2-desk-"));
beforeAll(() => {
  mkdirSync(join(deskDir, "assets"));
  writeFileSync(join(deskDir, "index.html"), "<!doctype html><html><head><title>WMS2</title></head></html>");
  writeFileSync(join(deskDir, "assets/index-a1b2.js"), `console.log("desk");${" ".repeat(3000)}`);
  writeFileSync(join(deskDir, "secret.key"), "nobody's");
});
afterAll(() => rmSync(deskDir, { recursive: true }));
const { app } = fakeApi({ deskDir, requireAuthForReads: true });

describe("the pages of the desk", () => {
  test.each([
    ["/desk/", "./"],
    ["/desk/requests", "./"],
    ["/desk/requests/muons.v2", "../"],
    ["/desk/requests/muons.v2/units/mg_000003", "../../../"],
    ["/desk/requests/muons.v2/nodes/mg_000003%2Fproc_000021?as=text/plain", "../../../"],
  ])("%s is the page, with a base that works under any prefix", async (url, base) => {
    const page = await app.inject(url);
    expect(page.statusCode).toBe(200);
    expect(page.headers).toMatchObject({ "content-type": "text/html; charset=utf-8", "cache-control": "no-cache" });
    expect(page.headers["content-security-policy"]).toMatch(/^default-src 'none'; script-src 'self';/);
    expect(page.body).toContain(`<head><base href="${base}">`);
    const again = await app.inject({ url, headers: { "if-none-match": String(page.headers.etag) } });
    expect([again.statusCode, again.body]).toEqual([304, ""]);
  });

  test("/ and /desk lead there, relative to where they are", async () => {
    for (const url of ["/", "/desk"]) expect((await app.inject(url)).headers.location).toBe("desk/");
  });

  test("a built file is kept for ever, and packed for who takes it", async () => {
    const url = "/desk/assets/index-a1b2.js";
    const plain = await app.inject(url);
    expect(plain.headers).toMatchObject({
      "content-type": "text/javascript; charset=utf-8",
      "cache-control": "public, max-age=31536000, immutable",
    });
    const packed = await app.inject({ url, headers: { "accept-encoding": "br, gzip" } });
    expect(packed.headers["content-encoding"]).toBe("gzip");
    expect(gunzipSync(packed.rawPayload).toString()).toBe(plain.body);
    expect(packed.rawPayload.length).toBeLessThan(200);
  });

  test.each(["/desk/assets/index-old.js", "/desk/assets/", "/desk/assets/../secret.key"])(
    "%s is not there",
    async (url) => expect((await app.inject(url)).body).not.toContain("nobody's"),
  );

  test.each(["/desk/..%2f..%2fetc/passwd", "/desk/secret.key", "/desk/%2e%2e/x.js"])(
    "%s never leaves the directory or its kinds of files",
    async (url) => {
      const { body } = await app.inject(url);
      expect(body).not.toContain("nobody's");
      expect(body).not.toContain("root:");
    },
  );

  test("without built pages it says how to build them", async () => {
    const page = await fakeApi().app.inject("/desk/");
    expect(page.statusCode).toBe(404);
    expect(page.headers["content-type"]).toContain("text/plain");
    expect(page.body).toContain("npm run build");
  });
});

test("long answers are packed, short ones and streams are not", async () => {
  const headers = { "accept-encoding": "gzip", host: "localhost" };
  const { app: open } = fakeApi();
  const long = await open.inject({ url: "/api/v1/openapi.json", headers });
  expect(long.headers["content-encoding"]).toBe("gzip");
  expect(JSON.parse(gunzipSync(long.rawPayload).toString())).toHaveProperty("openapi");
  expect((await open.inject({ url: "/api/v1/health", headers })).headers["content-encoding"]).toBeUndefined();
  const unwanted = await open.inject({ url: "/api/v1/openapi.json", headers: { "accept-encoding": "gzip;q=0" } });
  expect(unwanted.headers["content-encoding"]).toBeUndefined();
});
