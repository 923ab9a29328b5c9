import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import {
  CHAIN,
  eventsIn,
  fault,
  GEN,
  type Given,
  MERGE,
  output,
  pset,
  RECO,
  step,
  TWO_JOBS,
  unitOf,
} from "../../../../tests/support/cmsrun-unit.ts";
import { ARCH, hasPython, RELEASE } from "../../../../tests/support/cmssw/install.ts";
import { parseMergeOutput } from "../../../catalogs/outputs/merge-output.ts";

/** Jobs that run cmsRun, from the manifest to merge_output.json. The release is a stand-in that evaluates configurations. */

describe.skipIf(!hasPython)("with CMS's software", () => {
  test("a chain generates, hands its file on, keeps what is declared, and is merged by cmsRun too", async () => {
    const unit = unitOf(CHAIN, { psets: { GEN, RECO }, nodes: TWO_JOBS });
    for (const node of Object.keys(TWO_JOBS)) {
      const { code, report } = await unit.work("processing", node, { WMS2_CORES: "2" });
      expect({ code, report }).toMatchObject({
        code: 0,
        report: {
          framework: true,
          peakMemoryMb: 1235,
          eventsWritten: 25,
          steps: [
            { name: "GEN", eventsWritten: 25 },
            { name: "RECO", eventsRead: 25, eventsWritten: 25 },
          ],
        },
      });
    }
    const { dir, report } = await unit.work("merge", "merge");
    expect(report).toMatchObject({ exitCode: 0, eventsWritten: 50 });
    const told = parseMergeOutput(readFileSync(join(dir, "merge_output.json"), "utf8"), "mg_000000");
    expect(told).toMatchObject({
      ok: true,
      value: { events: 50n, outputs: [{ events: 50, runLumis: { "1": [[1, 6]] } }] },
    });
    const events = eventsIn(unit.path("storage/merged/aod/mg_000000.csv"));
    expect(events.map(({ event }) => Number(event))).toEqual(Array.from({ length: 50 }, (_, i) => i + 1));
    expect(events.map(({ lumi }) => Number(lumi)).slice(20, 36)).toEqual([3, 3, 3, 3, 3, ...Array(10).fill(4), 5]);
    expect(events[0]?.history.map((one) => one.split(":")[0])).toEqual(["GEN", "RECO"]);
  });

  test.each([
    ["the first step", [2, 1]],
    ["the second", [1, 3]],
    ["both", [3, 2]],
  ])("%s in several instances: each event once, in order, with luck of its own", async (_, counts) => {
    const split = CHAIN.map((one, at) => ({
      ...one,
      instances: counts[at]!,
      threads: 1,
      eventsPerLumi: 10,
      why: "idle",
    }));
    const unit = unitOf(split, { psets: { GEN, RECO }, nodes: TWO_JOBS });
    for (const node of Object.keys(TWO_JOBS)) {
      const { code, report, stderr } = await unit.work("processing", node, { WMS2_CORES: "2" });
      expect({ code, steps: report.steps }, stderr).toMatchObject({
        code: 0,
        steps: [
          { name: "GEN", instances: counts[0], eventsWritten: 25 },
          { name: "RECO", instances: counts[1], eventsRead: 25, eventsWritten: 25 },
        ],
      });
    }
    const { dir, report } = await unit.work("merge", "merge");
    expect(report).toMatchObject({ exitCode: 0, eventsWritten: 50 });
    const told = parseMergeOutput(readFileSync(join(dir, "merge_output.json"), "utf8"), "mg_000000");
    expect(told).toMatchObject({ ok: true, value: { outputs: [{ events: 50, runLumis: { "1": [[1, 6]] } }] } });
    const events = eventsIn(unit.path("storage/merged/aod/mg_000000.csv"));
    expect(events.map(({ event }) => Number(event))).toEqual(Array.from({ length: 50 }, (_, i) => i + 1));
    expect(events.map(({ lumi }) => Number(lumi)).slice(20, 36)).toEqual([3, 3, 3, 3, 3, ...Array(10).fill(4), 5]);
    expect(events[0]?.history.map((one) => one.split(":")[0])).toEqual(["GEN", "RECO"]);
  });

  test("a ReReco reads the lumis of its mask and no others", async () => {
    const data = Array.from({ length: 60 }, (_, i) => `100 ${1 + Math.floor(i / 10)} ${i + 1} RAW:0`).join("\n");
    const nodes = {
      proc_000000: {
        runLumis: {
          "100": [
            [2, 3],
            [5, 5],
          ] as [number, number][],
        },
      },
      proc_000001: { runLumis: { "100": [[6, 6]] as [number, number][] } },
    };
    const steps = [step("RECO", { outputs: [{ file: MERGE.file, module: "AODoutput", tier: "AOD" }] })];
    const unit = unitOf(steps, { psets: { RECO }, nodes });
    const path = unit.write("data/in put.root", `${data}\n`);
    unit.manifest = unit.manifest.replaceAll(
      '"inputs":[]',
      `"inputs":[{"lfn":"/store/data/in.root","path":${JSON.stringify(path)},"events":60}]`,
    );
    expect((await unit.work("processing", "proc_000000")).report).toMatchObject({ exitCode: 0, eventsRead: 30 });
    expect((await unit.work("processing", "proc_000001")).report).toMatchObject({ exitCode: 0, eventsRead: 10 });
    const { dir } = await unit.work("merge", "merge");
    const [merged] = JSON.parse(readFileSync(join(dir, "merge_output.json"), "utf8")).outputs;
    expect(merged).toMatchObject({
      events: 40,
      runLumis: {
        "100": [
          [2, 3],
          [5, 6],
        ],
      },
      parents: ["/store/data/in.root"],
    });
  });

  test("outputs of one tier are told apart by their filters", async () => {
    const text = pset("GEN", "EmptySource", output("one", "ALCARECO", "One"), output("two", "ALCARECO", "Two"));
    const of = (filter: string) => {
      const steps = [step("GEN", { outputs: [{ file: MERGE.file, module: null, tier: "ALCARECO", filter }] })];
      return unitOf(steps, { psets: { GEN: text }, nodes: TWO_JOBS }).work("processing", "proc_000000");
    };
    const { report, dir } = await of("Two");
    expect(report).toMatchObject({ exitCode: 0 });
    expect(readFileSync(join(dir, ".wms2-cmssw.json"), "utf8")).toContain(`"two": ["${MERGE.file}"]`);
    const none = await of("Three");
    expect(none.report).toMatchObject({ exitCode: 7002 });
    expect(readFileSync(join(none.dir, "GEN.stderr.log"), "utf8")).toContain(
      "writes ALCARECO Three; it has one (ALCARECO One), two (ALCARECO Two)",
    );
  });

  test("a range of a file skips what is before it and stops at its end", async () => {
    const steps = [step("RECO", { outputs: [{ file: MERGE.file, module: null, tier: "AODSIM" }] })];
    const unit = unitOf(steps, { psets: { RECO }, nodes: { proc_000000: { firstEvent: 5, lastEvent: 7, events: 3 } } });
    const path = unit.write("in.root", Array.from({ length: 20 }, (_, i) => `1 1 ${i} R:0\n`).join(""));
    unit.manifest = unit.manifest.replace('"inputs":[]', `"inputs":[{"lfn":"/x","path":"${path}","events":20}]`);
    const { dir } = await unit.work("processing", "proc_000000");
    expect(eventsIn(join(dir, MERGE.file)).map(({ event }) => event)).toEqual(["5", "6", "7"]);
  });

  test.each([
    ["ReproducibleSeeding", true],
    ["AutomaticSeeding", false],
  ])("%s: another attempt makes the same events: %s; another job never does", async (seeding, isSame) => {
    const steps = [step("GEN", { seeding, outputs: [{ file: MERGE.file, module: null, tier: "GEN-SIM" }] })];
    const unit = unitOf(steps, { psets: { GEN }, nodes: TWO_JOBS });
    const wordsOf = async (node: string, cluster: string) => {
      const { dir } = await unit.work("processing", node, { WMS2_CLUSTER: cluster });
      return eventsIn(join(dir, MERGE.file)).map(({ history }) => history[0]);
    };
    const first = await wordsOf("proc_000000", "1");
    expect((await wordsOf("proc_000000", "2")).join() === first.join()).toBe(isSame);
    expect((await wordsOf("proc_000001", "1"))[0]).not.toBe(first[0]);
  });

  test("pile-up goes to the mixing modules and is not counted as read; LHE files are shared out", async () => {
    const mixing = `process.mix = cms.EDProducer("MixingModule", input=cms.PSet(fileNames=cms.untracked.vstring("old")))`;
    const lhe = pset(
      "GEN",
      "LHESource",
      mixing,
      output("o", "GEN"),
      'process.source.fileNames = cms.untracked.vstring("file:in.lhe")',
    );
    const steps = [
      step("GEN", {
        lhe: true,
        deterministicPileup: true,
        pileup: { mc: "cmssw/pileup.txt", data: null },
        outputs: [{ file: MERGE.file, module: null, tier: "GEN" }],
      }),
    ];
    const nodes = { proc_000000: { firstEvent: 4, lastEvent: 9, firstLumi: 1, lastLumi: 1, events: 6 } };
    const unit = unitOf(steps, { psets: { GEN: lhe }, nodes });
    unit.write("payload/cmssw/pileup.txt", "/store/mc/a.root\n/store/mc/b.root\n");
    unit.write("payload/in.lhe", "x\n".repeat(8));
    const { dir, report } = await unit.work("processing", "proc_000000");
    expect(report).toMatchObject({ exitCode: 0, eventsRead: null, eventsWritten: 5 });
    expect(readFileSync(join(dir, "GEN.fjr.xml"), "utf8")).toMatch(/\/store\/mc\/[ab]\.root[\s\S]*mixingFiles/);
  });

  describe("what goes wrong has CMS's own code", () => {
    const one = (text: string) => {
      const steps = [step("GEN", { outputs: [{ file: MERGE.file, module: null, tier: "GEN-SIM" }] })];
      return unitOf(steps, { psets: { GEN: text }, nodes: TWO_JOBS }).work("processing", "proc_000000");
    };

    test.each([
      ["an error in the report", "error:8021", 8021, "exit 8021"],
      ["a report cut short", "truncated", 50115, "cut short"],
      ["no report at all", "no-report", 50115, "left no FrameworkJobReport.xml"],
    ])("%s", async (_what, kind, code, words) => {
      const { report } = await one(`${GEN}\n${fault(kind)}`);
      expect(report).toMatchObject({ exitCode: code, error: expect.stringContaining(words) });
    });

    test("a killed cmsRun is told by its signal", async () => {
      const { report } = await one(`${GEN}\n${fault("kill")}`);
      expect(report).toMatchObject({ exitCode: 137, steps: [{ signal: 9, status: 137 }] });
    });

    test("numbers that are none harm nobody", async () => {
      expect((await one(`${GEN}\n${fault("nan")}`)).report).toMatchObject({ exitCode: 0, eventsWritten: 25 });
    });

    test.each([
      ["is no Python", "process = (", "SyntaxError"],
      ["makes no process", "x = 1", "makes no process"],
      ["has no module for the tier", pset("GEN", "EmptySource", output("a", "A"), output("b", "B")), "a (A), b (B)"],
    ])("a configuration that %s is 7002", async (_what, text, words) => {
      const { report, dir } = await one(text);
      expect(report).toMatchObject({ exitCode: 7002 });
      expect(readFileSync(join(dir, "GEN.stderr.log"), "utf8")).toContain(words);
    });

    test("an input that is not there is 8020; when all are skipped, too", async () => {
      const steps = [step("RECO", { outputs: [{ file: MERGE.file, module: null, tier: "AODSIM" }] })];
      const skipping = `${RECO}\nprocess.source.skipBadFiles = cms.untracked.bool(True)`;
      for (const text of [RECO, skipping]) {
        const unit = unitOf(steps, { psets: { RECO: text } });
        unit.manifest = unit.manifest.replace('"inputs":[]', '"inputs":[{"lfn":"/x","path":"/nowhere/x","events":1}]');
        expect((await unit.work("processing", "proc_000000")).report).toMatchObject({ exitCode: 8020 });
      }
    });
  });

  describe("the software", () => {
    const outputs = [{ file: MERGE.file, module: null, tier: "GEN-SIM" }];
    const work = (installation: Given["installation"], archs = ARCH) =>
      unitOf([step("GEN", { outputs }, archs)], { psets: { GEN }, nodes: TWO_JOBS, installation }).work(
        "processing",
        "proc_000000",
      );

    test.each([
      ["nobody says where it is", () => "", 10031, ARCH],
      ["it is not mounted", () => "cmsset\t/nowhere/cmsset_default.sh\n", 10031, ARCH],
      ["its set-up gives no scram", () => "cmsset\t/dev/null\n", 10032, ARCH],
      [
        "the release is not there for this architecture",
        (path: string) => `cmsset\t${path}\n`,
        50513,
        "slc7_amd64_gcc700",
      ],
    ])("%s", async (_what, installation, code, archs) => {
      expect((await work(installation, archs)).report).toMatchObject({ exitCode: code });
    });

    test("the first architecture that has the release is taken", async () => {
      const { dir, report } = await work((path) => `cmsset\t${path}\n`, `el9_amd64_gcc13 ${ARCH}`);
      expect(report).toMatchObject({ exitCode: 0 });
      expect(existsSync(join(dir, ".cmssw", ARCH, RELEASE))).toBe(true);
    });

    test("a container's command runs everything, for the architectures it is meant for", async () => {
      const unit = unitOf([step("GEN", { outputs })], {
        psets: { GEN },
        nodes: TWO_JOBS,
        installation: (path) => `cmsset\t${path}\ncontainer\tslc7_*\tfalse\ncontainer\tel8_*\t./enter\t-B\t/cvm fs\n`,
      });
      writeFileSync(unit.path("payload/enter"), '#!/bin/sh\necho "$2" >entered; shift 2; exec "$@"\n', { mode: 0o755 });
      const { dir, report } = await unit.work("processing", "proc_000000");
      expect(report).toMatchObject({ exitCode: 0 });
      expect(readFileSync(join(dir, "entered"), "utf8")).toBe("/cvm fs\n");
    });
  });
});
