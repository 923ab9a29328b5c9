import { chmodSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, expect, test } from "vitest";
import { TestUnit } from "../../../../tests/support/payload-scratch.ts";

let unit: TestUnit;
afterEach(() => unit.remove());

const NODE = "job_000000";

/** A job that runs ./tell.sh, which says where it lies. */
function makeUnit(): { graph: string; put(folder: string): void } {
  unit = new TestUnit([], [], {});
  const graph = unit.path("graph");
  mkdirSync(graph);
  const job = {
    name: "a",
    argv: ["./tell.sh", "x y"],
    env: {},
    reads: [],
    makes: [],
    handlers: [],
    digest: "d",
    seed: 1,
  };
  const head = `"version":1,"request":"req","round":0,"block":0,"sites":[],"directory":${JSON.stringify(graph)}`;
  unit.manifest = `{\n${head.replaceAll(',"', ',\n"')},\n"nodes":{\n"${NODE}":${JSON.stringify(job)}\n}\n}\n`;
  const put = (folder: string) => {
    mkdirSync(folder, { recursive: true });
    writeFileSync(
      join(folder, "tell.sh"),
      `#!/bin/sh\nprintf '%s|%s|%s' "$(basename "$(dirname "$0")")" "$(basename "$PWD")" "$1"\n`,
    );
    chmodSync(join(folder, "tell.sh"), 0o755);
  };
  return { graph, put };
}

test("a program that only travelled with the request is found, and runs in the graph's directory", async () => {
  const { put } = makeUnit();
  put(unit.path("payload"));
  const { code, stdout } = await unit.work("job", NODE);
  expect([code, stdout.trim()]).toEqual([0, "job-0|graph|x y"]);
});

test("one that lies in the graph's directory comes first", async () => {
  const { graph, put } = makeUnit();
  put(unit.path("payload"));
  put(graph);
  const { code, stdout } = await unit.work("job", NODE);
  expect([code, stdout.trim()]).toEqual([0, ".|graph|x y"]);
});
