import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { readReport, run, SHELL, start } from "../../../../tests/support/payload-scratch.ts";
import { A, HITS, sh, unit } from "../../../../tests/support/working-unit.ts";

describe("a job that works", () => {
  test("runs its steps in order, stages out with a sum and reports in the fixed order", async () => {
    const u = unit(
      [
        sh("echo one >hits.csv; echo events_read=100 >>$WMS2_STEP_REPORT"),
        sh("echo two >>hits.csv; echo events_written=97 >>$WMS2_STEP_REPORT", "second"),
      ],
      [HITS],
      { proc_000000: { inputs: [A] } },
    );
    const job = await u.work("processing", "proc_000000", { WMS2_CLUSTER: "123", WMS2_SITE: "T2_XX_Alpha" });
    expect(job.code).toBe(0);
    const staged = join(u.unmerged, "proc_000000.hits.csv");
    expect(readFileSync(staged, "utf8")).toBe("one\ntwo\n");
    const sum = (await run(["sh", "-c", `cksum <"$1"`, "sh", staged], u.dir)).stdout.split(" ")[0];
    expect(readFileSync(`${staged}.sum`, "utf8")).toBe(`8 cksum:${sum} 97 97 -\n`);
    expect(readdirSync(u.unmerged).sort()).toEqual(["proc_000000.hits.csv", "proc_000000.hits.csv.sum"]);
    expect(job.report).toMatchObject({
      version: 1,
      state: "finished",
      role: "processing",
      node: "proc_000000",
      unit: "mg_000000",
      cluster: 123,
      site: "T2_XX_Alpha",
      exitCode: 0,
      error: null,
      eventsRead: 100,
      eventsWritten: 97,
      steps: [
        { name: "select", status: 0, signal: null, eventsRead: 100 },
        { name: "second", eventsWritten: 97 },
      ],
      inputs: ["/data/a.csv"],
      outputs: [{ name: "hits", path: staged, sizeBytes: 8, checksum: `cksum:${sum}`, events: 97 }],
    });
    const keys = readFileSync(join(job.dir, "report.json"), "utf8").match(/^"\w+"/gm);
    expect(keys).toEqual(
      "version state role node unit cluster site host startedAt endedAt wallSec cpuSec peakMemoryMb exitCode error eventsRead eventsWritten framework steps inputs outputs"
        .split(" ")
        .map((key) => `"${key}"`),
    );
  });

  test("works from the submit directory's own run.sh with a plain working directory", async () => {
    const u = unit([sh("pwd >hits.csv")], [HITS]);
    const dir = u.job();
    const ended = await run([u.path("bin/run.sh"), "processing", "proc_000000"], dir);
    expect(ended.code).toBe(0);
    expect(readFileSync(join(u.unmerged, "proc_000000.hits.csv"), "utf8")).toBe(`${dir}\n`);
  });

  test("arguments and variables arrive to the byte: nothing is split, expanded or run", async () => {
    const nasty = [
      "a b",
      "",
      "'\"\\",
      "two\nlines\n",
      "$(touch owned)",
      "`touch owned`",
      "*",
      "-n",
      "tab\there",
      "é😀",
      "\u001b[1m",
      "%s\\n",
      "\\0101",
    ];
    const script = `for a; do printf '%s\\0' "$a"; done >hits.csv; printf '%s\\0' "$NASTY" >>hits.csv`;
    const u = unit([{ ...sh(script, "select", ...nasty), env: { NASTY: "$(touch owned)\n; x=\"'" } }], [HITS]);
    const job = await u.work("processing", "proc_000000");
    expect(job.code).toBe(0);
    const got = readFileSync(join(u.unmerged, "proc_000000.hits.csv"), "utf8").split("\0").slice(0, -1);
    expect(got).toEqual([...nasty, "$(touch owned)\n; x=\"'"]);
    expect(existsSync(join(job.dir, "owned"))).toBe(false);
  });

  test("a command named like a shell builtin or one of our functions is looked up as a program", async () => {
    for (const name of ["eval", "finish", "export"]) {
      const job = await unit([{ name: "select", argv: [name, "touch owned"] }]).work("processing", "proc_000000");
      expect(job.report).toMatchObject({ state: "finished", exitCode: 127 });
      expect(existsSync(join(job.dir, "owned"))).toBe(false);
    }
  });

  test("a step sees its variables, and nothing that does not apply", async () => {
    const u = unit([sh("env >hits.csv; cat $WMS2_INPUT_LIST >>hits.csv")], [HITS], {
      proc_000000: {
        inputs: [A, { ...A, path: "/data/b c.csv" }],
        firstEvent: "9007199254740993",
        lastEvent: 7,
        runLumis: { "1": [[1, 2]] },
        events: 12,
        seed: "18446744073709551615",
      },
      proc_000001: {},
    });
    await u.work("processing", "proc_000000", { WMS2_CORES: "4" });
    const text = readFileSync(join(u.unmerged, "proc_000000.hits.csv"), "utf8");
    for (const line of [
      "WMS2_REQUEST=req",
      "WMS2_UNIT=mg_000000",
      "WMS2_NODE=proc_000000",
      "WMS2_ROUND=0",
      "WMS2_ROLE=processing",
      "WMS2_INPUTS=/data/a.csv\n/data/b c.csv",
      "WMS2_FIRST_EVENT=9007199254740993",
      "WMS2_LAST_EVENT=7",
      "WMS2_EVENTS=12",
      'WMS2_RUN_LUMIS={"1":[[1,2]]}',
      "WMS2_SEED=18446744073709551615",
      "WMS2_CORES=4",
      "WMS2_STEP=select",
      "WMS2_STEP_INDEX=0",
    ]) {
      expect(text).toContain(`${line}\n`);
    }
    expect(text).not.toContain("WMS2_FIRST_LUMI");
    expect(text.endsWith("\n/data/a.csv\n/data/b c.csv\n")).toBe(true);
    await u.work("processing", "proc_000001", { WMS2_INPUTS: "leak", WMS2_EVENTS: "9" });
    const none = readFileSync(join(u.unmerged, "proc_000001.hits.csv"), "utf8");
    expect(none).not.toMatch(/WMS2_(INPUTS|INPUT_LIST|EVENTS|RUN_LUMIS|SITE)=/);
  });

  test("thousands of inputs do not break the start of a step: the list file has them all", async () => {
    const inputs = Array.from({ length: 3000 }, (_, i) => {
      const path = `/data/a/rather/long/directory/name/for/a/file/${i}.csv`;
      return { lfn: path, path, events: 1 };
    });
    const u = unit([sh("wc -l <$WMS2_INPUT_LIST >hits.csv; env | grep -c ^WMS2_INPUTS= >>hits.csv || :")], [HITS], {
      proc_000000: { inputs },
    });
    const job = await u.work("processing", "proc_000000");
    expect(readFileSync(join(u.unmerged, "proc_000000.hits.csv"), "utf8")).toMatch(/^3000\n0\n$/);
    expect(job.report.inputs).toHaveLength(3000);
  });

  test("who and where it is comes from HTCondor's ads when the engine set no variables", async () => {
    const u = unit([sh("echo $WMS2_SITE $WMS2_CORES $WMS2_MEMORY_MB >hits.csv")], [HITS]);
    const job = u.write(
      "job.ad",
      'ClusterId = 77\nRequestCpus = 8\nRequestMemory = 4096\nArguments = "ClusterId = 5"\n',
    );
    const machine = u.write("machine.ad", 'GLIDEIN_CMSSite = "T2_XX_Beta"\n');
    const done = await u.work("processing", "proc_000000", { _CONDOR_JOB_AD: job, _CONDOR_MACHINE_AD: machine });
    expect(done.report).toMatchObject({ cluster: 77, site: "T2_XX_Beta" });
    expect(readFileSync(join(u.unmerged, "proc_000000.hits.csv"), "utf8")).toBe("T2_XX_Beta 8 4096\n");
  });

  test("names with blanks and quotes are staged; a file staged before is replaced; what is not kept stays", async () => {
    const file = "my 'best' \"hits\".csv";
    const u = unit(
      [sh('echo new >"$1"; echo x >tmp.dat', "select", file)],
      [
        { name: "hits", file },
        { name: "tmp", file: "tmp.dat", keep: false },
      ],
    );
    u.write(`storage/unmerged/req/mg_000000/proc_000000.${file}`, "old and longer\n");
    const job = await u.work("processing", "proc_000000");
    expect(job.report).toMatchObject({ exitCode: 0 });
    expect(job.report.outputs.map((output) => output.path)).toEqual([join(u.unmerged, `proc_000000.${file}`)]);
    expect(readFileSync(join(u.unmerged, `proc_000000.${file}`), "utf8")).toBe("new\n");
    expect(existsSync(join(u.unmerged, "proc_000000.tmp.dat"))).toBe(false);
  });

  test("measures memory and CPU of the whole tree, of short steps too", async () => {
    const script =
      "node -e 'const b = Buffer.alloc(80e6, 1); while (process.cpuUsage().user < 300e3); process.exit(b.length ? 0 : 1)'; :";
    const long = await unit([sh(script)]).work("processing", "proc_000000");
    expect(long.report.steps[0]?.peakMemoryMb).toBeGreaterThan(100);
    expect(long.report.steps[0]?.peakMemoryMb).toBeLessThan(400);
    expect(long.report.steps[0]?.cpuSec).toBeGreaterThan(0.2);
    expect(long.report.wallSec).toBeGreaterThan(0.25);
    const short = await unit([{ name: "select", argv: ["true"] }]).work("processing", "proc_000000");
    expect(short.report.steps[0]?.peakMemoryMb).toBeGreaterThan(0);
  });

  test("costs little: less than starting sixty processes", async () => {
    const u = unit([{ name: "select", argv: ["true"] }]);
    const script = "i=0; while [ $i -lt 60 ]; do /bin/true; i=$((i + 1)); done";
    const worker: number[] = [];
    const yardstick: number[] = [];
    for (let i = 0; i < 7; i++) {
      worker.push((await u.work("processing", "proc_000000")).ms);
      yardstick.push((await run(["sh", "-c", script], u.dir)).ms);
    }
    expect(Math.min(...worker)).toBeLessThan(Math.min(...yardstick));
  });
});

describe("SIGTERM", () => {
  test("reaches the step and its children, and is reported", async () => {
    const u = unit([sh("sleep 30 & echo $! >child; wait"), sh("touch second", "second")]);
    const dir = u.job();
    const job = start([...SHELL, "./condor_exec.exe", "processing", "proc_000000"], dir);
    await appears(join(dir, "child"));
    expect(readReport(dir)).toMatchObject({ state: "started", exitCode: null, endedAt: null });
    process.kill(job.pid, "SIGTERM");
    const ended = await job.ended;
    expect(ended.code).toBe(143);
    expect(ended.ms).toBeLessThan(5000);
    const report = readReport(dir);
    expect(report).toMatchObject({ state: "finished", exitCode: 143, error: "stopped by SIGTERM in step select" });
    expect(report.steps).toMatchObject([{ signal: 15 }]);
    const child = Number(readFileSync(join(dir, "child"), "utf8"));
    expect(isAlive(child)).toBe(false);
  });

  test("at any moment ends the job soon, with a finished report", async () => {
    const u = unit([sh("exec sleep 30"), sh("touch second", "second")]);
    for (const delay of [1, 5, 8, 10, 12, 14, 16, 20, 25, 30, 40]) {
      const dir = u.job();
      const job = start([...SHELL, "./condor_exec.exe", "processing", "proc_000000"], dir);
      await new Promise((wake) => setTimeout(wake, delay));
      process.kill(job.pid, "SIGTERM");
      const ended = await job.ended;
      expect(ended.ms).toBeLessThan(8000);
      // Before the trap stands there is nothing to report yet.
      if (ended.signal === null) expect(readReport(dir)).toMatchObject({ state: "finished", exitCode: 143 });
    }
  });

  test("a step that ends well after it still ends the job", async () => {
    const u = unit([
      sh("trap 'echo caught; exit 0' TERM; touch ready; while :; do sleep 0.05; done"),
      sh("touch second", "second"),
    ]);
    const dir = u.job();
    const job = start([...SHELL, "./condor_exec.exe", "processing", "proc_000000"], dir);
    await appears(join(dir, "ready"));
    process.kill(job.pid, "SIGTERM");
    expect((await job.ended).code).toBe(143);
    expect(readReport(dir)).toMatchObject({ exitCode: 143, steps: [{ exitCode: 0 }] });
    expect(readFileSync(join(dir, "select.stdout.log"), "utf8")).toBe("caught\n");
    expect(existsSync(join(dir, "second"))).toBe(false);
  });
});

function isAlive(pid: number): boolean {
  const status = `/proc/${pid}/status`;
  return existsSync(status) && !/^State:\s+Z/m.test(readFileSync(status, "utf8"));
}

async function appears(path: string): Promise<void> {
  for (let i = 0; i < 500 && !existsSync(path); i++) await new Promise((wake) => setTimeout(wake, 10));
  await new Promise((wake) => setTimeout(wake, 50)); // let it be written
}
