import { spawn } from "node:child_process";
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { eventually } from "../../../../tests/support/eventually.ts";
import { run, SHELL, start } from "../../../../tests/support/payload-scratch.ts";

const program = resolve(import.meta.dirname, "submit");
/** Says its arguments, waits while there is a file `hang`, and submits as cluster 23, once more each time. */
const SUBMIT_DAG = `#!/bin/sh
echo "$*" >>calls
while [ -e hang ]; do sleep 0.05; done
[ ! -e fail ] || { cat fail; exit 1; }
echo "1 job(s) submitted to cluster 23."
`;
/** The queue is the file \`queue\`; without it the schedd is away. */
const QUEUE = '#!/bin/sh\necho "$*" >>asked\ncat queue\n';

let dir: string;
const at = (name: string): string => join(dir, name);
const text = (name: string): string => (existsSync(at(name)) ? readFileSync(at(name), "utf8") : "");
const env = () => ({ PATH: `${at("programs")}:${process.env.PATH}` });
const argv = (...args: (string | number)[]) => [...(SHELL.length ? SHELL : ["sh"]), program, ...args.map(String)];
const submit = (...args: (string | number)[]) => run(argv(...args), dir, env());
const fence = (ticket: number, batch = "wms2-d") => submit("fence", ticket, batch);
const hand = (ticket: number, batch = "wms2-d") => submit("run", ticket, batch, "-batch-name", batch);

beforeEach(async () => {
  dir = mkdtempSync(join(tmpdir(), "wms2-submit-"));
  await run(["mkdir", at("programs")], dir);
  for (const [name, script] of Object.entries({ condor_submit_dag: SUBMIT_DAG, condor_q: QUEUE })) {
    writeFileSync(at(`programs/${name}`), script);
    chmodSync(at(`programs/${name}`), 0o755);
  }
  writeFileSync(at("queue"), "");
  writeFileSync(at("workflow.dag"), "");
});
afterEach(() => rmSync(dir, { recursive: true, force: true }));

describe("one submission after the other", () => {
  test("with its fence it submits, once, and leaves the receipt", async () => {
    expect(await fence(5)).toMatchObject({ code: 0, stdout: "" });
    expect(await hand(5)).toMatchObject({ code: 0, stdout: "1 job(s) submitted to cluster 23.\n" });
    expect(text("submission")).toBe("5 wms2-d 23\n");
    expect(text("calls")).toBe("-batch-name wms2-d workflow.dag\n");
    expect(text("asked")).toContain(`Iwd == "${dir}"`);
    // The same call again, a new fence, and even a fence of the same name by a later server.
    expect(await hand(5)).toMatchObject({ code: 77 });
    expect(await fence(6)).toMatchObject({ code: 0, stdout: "submitted to cluster 23\n" });
    expect(await hand(6)).toMatchObject({ code: 77 });
    expect(text("calls").split("\n")).toHaveLength(2);
  });

  const EXITED = "11/16/26 16:58:11 **** condor_scheduniv_exec.47.0 (condor_DAGMAN) pid 3244 EXITING WITH STATUS 1\n";
  test.each<[string, string, string, number, boolean]>([
    ["broke off as it read its log, and kept its lock: the next one begins without it", EXITED, "", 0, false],
    ["broke off like that, and a job of it is left: nothing is submitted", EXITED, "48", 69, true],
    ["was killed: the next one goes by its log", "11/16/26 16:58:11 Currently monitoring 1 log file\n", "48", 0, true],
  ])("where the DAGMan before %s", async (_, out, left, code, stays) => {
    // No DAGMan is there; asked for anything else, it has what is left.
    writeFileSync(at("programs/condor_q"), `#!/bin/sh\ncase $* in *JobUniverse*) ;; *) echo ${left} ;; esac\n`);
    writeFileSync(at("workflow.dag.lock"), "PID = 3244\n");
    writeFileSync(at("workflow.dag.dagman.out"), `before\n${out}`);
    await fence(5);
    expect(await hand(5)).toMatchObject({ code });
    expect(existsSync(at("workflow.dag.lock"))).toBe(stays);
    expect(text("calls") !== "").toBe(code === 0);
    if (code === 0) return;
    // It is tried again, and goes on when the job is gone.
    writeFileSync(at("programs/condor_q"), "#!/bin/sh\n");
    expect(await fence(6)).toMatchObject({ code: 0 });
    expect(await hand(6)).toMatchObject({ code: 0 });
  });

  test("without a fence, or behind a newer one, it does not", async () => {
    expect(await hand(5)).toMatchObject({ code: 77 });
    await fence(5);
    await fence(6);
    expect(await hand(5)).toMatchObject({ code: 77, stderr: expect.stringContaining("a later submission") });
    expect(await fence(5)).toMatchObject({ code: 77 });
    expect(await hand(6)).toMatchObject({ code: 0 });
    expect(text("calls").split("\n")).toHaveLength(2);
  });

  test("the next run of the directory has a name of its own, and closes it to the one before", async () => {
    await fence(5);
    await hand(5);
    expect(await fence(7, "wms2-e")).toMatchObject({ code: 0, stdout: "" });
    expect(await fence(6)).toMatchObject({ code: 77 });
    expect(await hand(7, "wms2-e")).toMatchObject({ code: 0 });
    expect(text("submission")).toBe("7 wms2-e 23\n");
  });

  test("what failed may be tried again, by a new ticket", async () => {
    writeFileSync(at("fail"), 'ERROR: "workflow.dag.condor.sub" already exists.\n');
    await fence(5);
    expect(await hand(5)).toMatchObject({ code: 1, stdout: expect.stringContaining("already exists") });
    expect(text("submission")).toBe("5 wms2-d begun\n");
    rmSync(at("fail"));
    expect(await fence(6)).toMatchObject({ code: 0, stdout: "" });
    expect(await hand(6)).toMatchObject({ code: 0 });
  });

  test("old files are updated only where no rescue file says what is done", async () => {
    writeFileSync(at("workflow.dag.condor.sub"), "");
    await fence(5);
    await hand(5);
    writeFileSync(at("workflow.dag.rescue001"), "");
    await fence(6, "wms2-e");
    await hand(6, "wms2-e");
    expect(
      text("calls")
        .split("\n")
        .map((line) => line.includes("-update_submit")),
    ).toEqual([true, false, false]);
  });

  test("not beside a living DAGMan of the directory, whatever its name, nor when the queue cannot be asked", async () => {
    await fence(5);
    writeFileSync(at("queue"), "17 somebody\n");
    expect(await hand(5)).toMatchObject({ code: 69, stderr: expect.stringContaining("17 somebody") });
    rmSync(at("queue"));
    expect(await hand(5)).toMatchObject({ code: 69 });
    writeFileSync(at("queue"), "");
    expect(await hand(5)).toMatchObject({ code: 0 });
  });
});

describe("two at once", () => {
  test("while one hangs the other waits with the reason; when it is through, its receipt is found", async () => {
    await fence(5);
    writeFileSync(at("hang"), "");
    const first = start(argv("run", 5, "wms2-d"), dir, env());
    await eventually("it hangs", () => text("calls") !== "");
    const refused = await fence(6);
    expect(refused).toMatchObject({ code: 75, stderr: expect.stringMatching(/is under way, by process \d+ on /) });
    expect(await hand(6)).toMatchObject({ code: 75 });
    rmSync(at("hang"));
    expect(await first.ended).toMatchObject({ code: 0 });
    expect(await fence(6)).toMatchObject({ code: 0, stdout: "submitted to cluster 23\n" });
  });

  test("killed, it keeps the directory closed until what it had started is over too", async () => {
    await fence(5);
    writeFileSync(at("hang"), "");
    const first = start(argv("run", 5, "wms2-d"), dir, env());
    await eventually("it hangs", () => text("calls") !== "");
    process.kill(first.pid, "SIGKILL");
    expect(await fence(6)).toMatchObject({ code: 75 });
    rmSync(at("hang"));
    // Nobody wrote a receipt: whoever comes now has to look at the queue and the traces, and may.
    await eventually("the lock is free", async () => (await fence(6)).code === 0);
    expect(text("submission")).toBe("6 wms2-d open\n");
  });

  test("its caller gone, pipes closed, it still leaves the receipt", async () => {
    await fence(5);
    writeFileSync(at("hang"), "");
    const child = spawn("sh", [program, "run", "5", "wms2-d"], {
      cwd: dir,
      env: env(),
      stdio: ["ignore", "pipe", "pipe"],
    });
    await eventually("it hangs", () => text("calls") !== "");
    child.stdout.destroy();
    child.stderr.destroy();
    rmSync(at("hang"));
    await eventually("the receipt is there", () => text("submission") === "5 wms2-d 23\n");
  });

  test("of twenty at once with tickets of their own, one submits", async () => {
    await Promise.all(
      Array.from({ length: 20 }, async (_, index) => {
        for (let tries = 0; (await fence(100 + index)).code === 75 && tries < 100; tries += 1);
        return hand(100 + index);
      }),
    );
    expect(text("calls").split("\n").length).toBeLessThanOrEqual(2);
    const [ticket] = text("submission").split(" ");
    if (text("calls") === "") expect(await hand(Number(ticket))).toMatchObject({ code: 0 });
    expect(text("calls").split("\n")).toHaveLength(2);
  });
});

describe("a directory that cannot be written", () => {
  test("is told as such", async () => {
    await run(["mkdir", at(".submission.lock")], dir);
    expect(await fence(5)).toMatchObject({ code: 73, stderr: expect.stringContaining(`cannot write in ${dir}`) });
  });

  test("a full disk: neither a fence nor a submission without one", async () => {
    await fence(5);
    // Its temporary name is taken by a directory: writing fails as on a full disk.
    await run(["mkdir", at(".submission.tmp")], dir);
    expect(await fence(6)).toMatchObject({ code: 73 });
    expect(await hand(5)).toMatchObject({ code: 73 });
    expect(text("calls")).toBe("");
  });

  test("words that make no sense are refused", async () => {
    expect(await submit("fence", "1;reboot", "b")).toMatchObject({ code: 64 });
    expect(await submit("remove", 1, "b")).toMatchObject({ code: 64 });
  });
});
