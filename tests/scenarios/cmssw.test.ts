import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { makeRequestCatalog } from "../../src/catalogs/cms/requests.ts";
import type { RequestName } from "../../src/core/names.ts";
import { fakeReqMgr2 } from "../support/fake-reqmgr2.ts";
import { generation, makeWorld } from "../support/world.ts";

/** Configurations come from the config cache when the first round is planned, once, and stay with the request. */

const SOFTWARE = { release: "CMSSW_14_0_1", scram_arch: "el8_amd64_gcc12" };
const GEN = { name: "GEN", ...SOFTWARE, config_cache_id: "aaaa" };
const BY = { actor: "ann", version: null, dryRun: false };
const asked = (name: string, steps: readonly object[]) =>
  generation(name, 1, { payload: "cmssw", steps, outputs: undefined });

async function makeCmsWorld(configurations: Map<string, string> | null) {
  const questions: string[] = [];
  const configuration = async (id: string) => {
    questions.push(id);
    return configurations?.get(id) ?? null;
  };
  const source = makeRequestCatalog({ ...fakeReqMgr2().reqmgr2, configuration }, { team: null, campaigns: null });
  return { questions, world: await makeWorld(undefined, configurations && source) };
}

const payload = async (world: Awaited<ReturnType<typeof makeWorld>>, name: RequestName) => {
  const dag = await world.store.dags.get((await world.workflow(name)).currentDagId!);
  return (file: string) => readFileSync(join(dag!.submitDir, "payload", file), "utf8");
};

test("a configuration is fetched once and travels with every job", async () => {
  const { world, questions } = await makeCmsWorld(new Map([["aaaa", "process = 1\n"]]));
  const name = await world.submit(asked("gen-sim", [GEN]));
  await world.pass();
  await world.expectStatus(name, "active");
  const read = await payload(world, name);
  expect(read("cmssw/GEN.py")).toBe("process = 1\n");
  expect(read("wms2/pset.py")).toContain("FWCore.ParameterSet.Config");
  expect(questions).toEqual(["aaaa"]);
});

test("one that is not there holds the request, and a release finds it when it was put there", async () => {
  const cache = new Map<string, string>();
  const { world, questions } = await makeCmsWorld(cache);
  const name = await world.submit(asked("gen-sim", [GEN]));
  await world.pass();
  await world.expectStatus(name, "held");
  const { hold } = await world.request(name);
  expect(hold).toMatchObject({
    code: "configuration-missing",
    message: expect.stringContaining("the configuration aaaa cannot be had"),
    evidence: { id: "aaaa", path: "cmssw/GEN.py" },
  });
  expect(hold?.actions).toContain("release");

  cache.set("aaaa", "process = 2\n");
  await world.commands.act(name, { action: "release", reason: "it is there now" }, BY);
  await world.pass();
  await world.expectStatus(name, "active");
  expect((await payload(world, name))("cmssw/GEN.py")).toBe("process = 2\n");
  expect(questions).toEqual(["aaaa", "aaaa"]);
});

test("without a config cache the hold says so", async () => {
  const { world } = await makeCmsWorld(null);
  const name = await world.submit(asked("gen-sim", [GEN]));
  await world.pass();
  await world.expectStatus(name, "held");
  expect((await world.request(name)).hold?.message).toContain("this installation has no config cache to ask");
});

test("a configuration that came with the request asks nobody", async () => {
  const { world, questions } = await makeCmsWorld(new Map());
  const steps = [{ name: "GEN", ...SOFTWARE, pset: "./gen.py" }];
  const attachments = { "gen.py": { content_base64: Buffer.from("process = 3\n").toString("base64") } };
  const name = await world.submit(
    generation("gen-sim", 1, { payload: "cmssw", steps, outputs: undefined, attachments }),
  );
  await world.pass();
  await world.expectStatus(name, "active");
  expect((await payload(world, name))("gen.py")).toBe("process = 3\n");
  expect(questions).toEqual([]);
});
