import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import type { TestProject } from "vitest/node";
import { ServerUnderTest } from "../../support/server.ts";
import { SITES, seed } from "./seed.ts";

declare module "vitest" {
  export interface ProvidedContext {
    /** null: there is no Chromium here. */
    chromium: string | null;
    url: string;
    token: string;
    dataDir: string;
    /** Where stories put the inputs of their own requests. */
    inputs: string;
  }
}

/** One real server with requests of every fate, for all tests of the pages. */
export default async function start(project: TestProject): Promise<() => Promise<void>> {
  const chromium = findChromium();
  const inputs = mkdtempSync(join(tmpdir(), "wms2-web-"));
  const server = new ServerUnderTest({ "engine.local.sites": SITES, "alerts.interval_sec": 5 });
  const end = async () => {
    await server.stop();
    await server.remove();
    rmSync(inputs, { recursive: true, force: true });
  };
  if (chromium) {
    try {
      await server.start();
      await seed(server, inputs);
    } catch (error) {
      await end();
      throw error;
    }
  }
  project.provide("chromium", chromium);
  project.provide("url", server.url);
  project.provide("token", chromium ? server.token : "");
  project.provide("dataDir", server.dataDir);
  project.provide("inputs", inputs);
  return end;
}

function findChromium(): string | null {
  try {
    const script = resolve(import.meta.dirname, "../../../scripts/browser");
    return execFileSync("sh", [script], { encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] }).trim();
  } catch (error) {
    if (process.env.CI === "true") throw error;
    console.warn("the tests of the pages are skipped: no Chromium is here (apt-get install chromium)");
    return null;
  }
}
