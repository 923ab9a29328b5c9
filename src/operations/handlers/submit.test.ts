import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { makeWorld } from "../../../tests/support/world.ts";
import type { FolderQuestion } from "../../loop/ports.ts";

test("a folder that has more in it than anybody looks at is refused, where it is read", async () => {
  const { commands, ports, dir } = await makeWorld();
  mkdirSync(join(dir, "data"));
  const document = {
    ...{ name: "g", kind: "graph", directory: dir },
    jobs: [
      { name: "a", run: "true" },
      { name: "b", run: "true", reads: "data" },
    ],
  };
  const submitted = () => commands.submit({ text: JSON.stringify(document), format: "json" }, "ann");
  const { folderStamps } = ports.spool;
  const asked: string[] = [];
  Object.assign(ports.spool, {
    folderStamps: async ({ folders }: FolderQuestion) => {
      asked.push(...folders);
      return new Map(asked.map((path) => [path, { path, sizeBytes: 0, mtime: 0, listing: "" }]));
    },
  });
  expect(await submitted()).toMatchObject({
    ok: false,
    error: {
      problems: [
        {
          path: "jobs[1].reads",
          message: `${join(dir, "data")} has more than 100000 entries: nobody can tell whether one has changed`,
        },
      ],
    },
  });
  expect(asked).toEqual([join(dir, "data")]);
  Object.assign(ports.spool, { folderStamps });
  expect(await submitted()).toMatchObject({ ok: true });
});
