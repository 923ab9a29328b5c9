import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { eventually } from "../../../../tests/support/eventually.ts";
import { runnerContract } from "../../../../tests/support/runner-contract.ts";
import { Outbox } from "../../dag/outbox.ts";
import { Families } from "./families.ts";
import { ProcessRunner } from "./process-runner.ts";
import { Tasks } from "./tasks.ts";

const SITES = [{ name: "here", cores: 2, memoryMb: 1000 }];

runnerContract("process", () => {
  const dir = mkdtempSync(join(tmpdir(), "wms2-runner-"));
  const make = () => {
    const outbox = new Outbox();
    const tasks = new Tasks(join(dir, "tasks"), { PATH: "/usr/bin:/bin" }, () => outbox.schedule());
    outbox.act = () => tasks.flush();
    const runner = new ProcessRunner(tasks, outbox, SITES, 200, new Families(null));
    const close = () => {
      runner.close();
      outbox.flush();
      tasks.close();
    };
    return { runner, close };
  };
  let made = make();
  const finish = () => writeFileSync(join(dir, "go"), "");
  return {
    runner: made.runner,
    argumentsFor: (does) => ({
      executable: "/bin/sh",
      arguments: ["-c", does === "wait" ? "until [ -e go ]; do sleep 0.05; done" : `exit ${does}`],
      initialDir: dir,
    }),
    finish,
    until: (what, isTrue) => eventually(what, isTrue),
    reopen: () => {
      made.close();
      made = make();
      return made.runner;
    },
    close: () => {
      if (!existsSync(join(dir, "go"))) finish();
      made.close();
      rmSync(dir, { recursive: true, force: true, maxRetries: 5 });
    },
  };
});
