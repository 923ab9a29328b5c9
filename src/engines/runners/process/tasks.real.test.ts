import { spawn } from "node:child_process";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { eventually } from "../../../../tests/support/eventually.ts";
import { renderTask, type TaskEnd } from "./task-files.ts";
import { Tasks } from "./tasks.ts";

let dir: string;
let tasks: Tasks;
let asked: number;
const ENVIRONMENT = { PATH: "/usr/bin:/bin" };
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), "wms2-tasks-"));
  asked = 0;
  tasks = new Tasks(dir, ENVIRONMENT, () => void asked++);
});
afterEach(() => {
  tasks.close();
  rmSync(dir, { recursive: true, force: true, maxRetries: 5 });
});

const write = (id: number, script: string): void =>
  tasks.write(
    id,
    renderTask({ cwd: dir, argv: ["sh", "-c", script], environment: [], stdout: null, stderr: null, joins: null }),
  );
const ran = (): string[] => readFileSync(join(dir, "ran"), "utf8").trim().split("\n");

test("nothing begins before whoever writes down what is about to begin has done so, however long that takes", async () => {
  const ends: TaskEnd[] = [];
  write(1, "true");
  tasks.start(1, (end) => void ends.push(end));
  await eventually("it asked to be flushed, twice", () => asked >= 2);
  expect(existsSync(tasks.statePath(1))).toBe(false);
  tasks.flush();
  await eventually("it ended", () => ends.length > 0);
  expect(ends).toMatchObject([{ exit: { kind: "exited", code: 0 } }]);
});

test("offered by two at once, a task runs once, and its end is seen whoever claims it later", async () => {
  const ids = Array.from({ length: 60 }, (_, index) => index + 1);
  for (const id of ids) write(id, `echo ${id} >>ran`);
  const runners = [0, 1, 2].map(() => {
    const runner = spawn("/bin/sh", [join(import.meta.dirname, "runner.sh"), dir], { env: ENVIRONMENT });
    for (const id of ids) runner.stdin.write(`${id}\n`);
    return runner;
  });
  await eventually("each has ended", () => ids.every((id) => tasks.hasEnded(id)));
  for (const runner of runners) runner.stdin.end(`${ids.join("\n")}\n`);
  await Promise.all(runners.map((runner) => new Promise((done) => runner.once("close", done))));
  expect(ids.filter((id) => !tasks.hasEnded(id))).toEqual([]);
  expect(ran().sort()).toEqual(ids.map(String).sort());
});

test("files of a task that is over serve the next, but not those that somebody else may have open", async () => {
  const ends = new Map<number, TaskEnd>();
  const start = (id: number, adopted = false) => tasks.start(id, (end) => void ends.set(id, end), adopted);
  const spares = () => readdirSync(dir).filter((name) => name.startsWith("spare-"));
  write(1, "until [ -e go ]; do sleep 0.02; done");
  start(1); // While it runs, spares are kept.
  write(2, "echo 2 >>ran");
  start(2);
  write(3, "echo 3 >>ran");
  start(3, true); // As after a crash: whoever was offered it before may come late.
  tasks.flush();
  await eventually("both are over", () => ends.has(2) && ends.has(3));
  tasks.forget(3);
  expect(spares()).toEqual([]);
  tasks.forget(2);
  expect(spares()).toHaveLength(2);
  write(4, "echo 4 >>ran; exit 4");
  expect([spares(), readFileSync(tasks.statePath(4), "utf8")]).toEqual([[], ""]);
  start(4);
  tasks.flush();
  await eventually("it is over", () => ends.has(4));
  expect(ends.get(4)).toMatchObject({ exit: { kind: "exited", code: 4 } });
  expect(ran().sort()).toEqual(["2", "3", "4"]);
  writeFileSync(join(dir, "go"), "");
  await eventually("the first is over", () => ends.has(1));
});
