import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { eventually } from "../../../tests/support/eventually.ts";
import { core, events, metrics, ran, read, reopen, run } from "../../../tests/support/local-core.ts";
import { shQuote } from "../runners/process/task-files.ts";

test("quoting: a shell gives every word back as it was", () => {
  fc.assert(
    fc.property(fc.array(fc.string({ unit: "binary" }), { minLength: 1, maxLength: 5 }), (drawn) => {
      const words = drawn.map((word) => word.replaceAll("\0", ""));
      const out = execFileSync("/bin/sh", ["-c", `printf '%s\\0' ${words.map(shQuote).join(" ")}`]).toString("utf8");
      expect(out.split("\0").slice(0, -1)).toEqual(words);
    }),
    { numRuns: 10 },
  );
});

describe.each([
  ["with control groups", true],
  ["without them", false],
])("what a job started, %s", (_, cgroups) => {
  const alive = (name: string): boolean => existsSync(`/proc/${read(name).trim()}`) && !isZombie(read(name).trim());
  const isZombie = (pid: string): boolean => /\) Z /.test(readFileSync(`/proc/${pid}/stat`, "latin1"));
  const one = (script: string) => ({
    job: `#!/bin/sh\ncd @/\n${script}\n`,
    "s.sub": "executable = @/job\nlog = @/jobs.log\nqueue\n",
    "workflow.dag": "JOB a s.sub\n",
  });

  test("ends with it: in its group, in its session, and outside of both", async (context) => {
    reopen(cgroups);
    if (cgroups && !core.isContained) context.skip();
    const away = 'setsid sh -c "echo \\$\\$ >left-session; exec sleep 300" &';
    const group = 'sh -c "echo \\$\\$ >in-group; exec sleep 300" &';
    const wait = "while [ ! -s left-session ] || [ ! -s in-group ]; do sleep 0.02; done";
    await run(one(`${away}\n${group}\n${wait}`));
    expect(metrics()).toMatchObject({ exitCode: 0, succeeded: 1 });
    for (const name of ["left-session", "in-group"])
      await eventually(`${name} is gone`, async () => !alive(name), { deadlineSec: 5 });
  });

  test("ends with it even if it hides its origin", async (context) => {
    reopen(cgroups);
    if (!core.isContained) context.skip();
    await run(
      one('env -i setsid sh -c "echo \\$\\$ >hidden; exec sleep 300" &\nwhile [ ! -s hidden ]; do sleep 0.02; done'),
    );
    await eventually("it is gone", async () => !alive("hidden"), { deadlineSec: 5 });
  });

  test("a job that kills its runner is one lost attempt; its neighbours do not notice", async () => {
    reopen(cgroups);
    // The parent of the job's process watches it; the parent of that starts jobs for all.
    const parent = (pid: string) => `$(sed 's/.*) . //; s/ .*//' /proc/${pid}/stat)`;
    const kill = `kill -9 $PPID ${parent("$PPID")}\nsleep 300`;
    await run({
      ...one(`echo killer >>ran.log\n${kill}`),
      "workflow.dag":
        'JOB a s.sub\nSCRIPT POST a @/post $RETURN\nJOB b j.sub\nVARS b codes="wait"\nJOB c j.sub\nVARS c codes="wait"\n',
      post: '#!/bin/sh\necho "$1" >@/returned\ntouch @/go\nexit 1\n',
    });
    expect(read("returned").trim()).toBe("-1003");
    expect(ran().toSorted()).toEqual(["b", "c", "killer"]);
    expect(metrics()).toMatchObject({ succeeded: 2, failed: 1 });
    expect(events().filter(({ kind }) => kind === "lost")).toMatchObject([
      { body: [expect.stringMatching(/watched it was killed/)] },
    ]);
  }, 30_000);
});
