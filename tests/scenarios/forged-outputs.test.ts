import { readFileSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { generation, makeWorld } from "../support/world.ts";

test.each<[string, string, RegExp]>([
  ["garbage", '{"version":1,', /mg_000000 is done, but its merge_output.json is not JSON/],
  ["negative events", '{"version":1,"unit":"mg_000000","block":0,"site":null,"events":-1,"outputs":[]}', /events/],
  [
    "absurd events",
    `{"version":1,"unit":"mg_000000","block":0,"site":null,"events":"${"9".repeat(30)}","outputs":[]}`,
    /events/,
  ],
])("%s where a unit's output should be told: held, with the unit's name", async (_, text, words) => {
  const world = await makeWorld();
  const name = await world.submit(generation("gen", 1));
  await world.pass();
  world.engine.finish(world.storageDir);
  const run = [...world.engine.runs.values()][0]?.run;
  writeFileSync(join(run?.submitDir ?? "", "mg_000000", "merge_output.json"), text);
  await world.pass();
  await world.expectStatus(name, "held");
  expect((await world.request(name)).hold?.message).toMatch(words);
});

type Made = { block: number; events: unknown; outputs: Record<string, unknown>[] };
const FORGERIES: [string, (made: Made, path: string) => unknown, RegExp][] = [
  [
    "another LFN",
    ({ outputs: [one] }) => Object.assign(one ?? {}, { lfn: "/store/other/x" }),
    /calls gen \/store\/other/,
  ],
  ["another dataset", ({ outputs: [one] }) => Object.assign(one ?? {}, { dataset: "/A/B/C" }), /into \/A\/B\/C/],
  ["another file", ({ outputs: [one] }) => Object.assign(one ?? {}, { path: "/etc/passwd" }), /at \/etc\/passwd/],
  ["another size", ({ outputs: [one] }) => Object.assign(one ?? {}, { sizeBytes: 5 }), /has 5 bytes, and it has 9/],
  ["another block", (made) => Object.assign(made, { block: 7 }), /names block 7, and 0 was planned/],
  ["parents", ({ outputs: [one] }) => Object.assign(one ?? {}, { parents: ["/x"] }), /parents/],
  ["an output nobody planned", ({ outputs }) => outputs.push({ ...outputs[0], output: "more" }), /output more/],
  ["the same file twice", ({ outputs }) => outputs.push({ ...outputs[0] }), /twice/],
  ["no output", ({ outputs }) => outputs.splice(0), /does not name gen/],
  [
    "a link for its file",
    (_made, path) => {
      renameSync(path, `${path}.real`);
      symlinkSync(`${path}.real`, path);
    },
    /not there as a plain file/,
  ],
  [
    "a link on the way to it",
    (_made, path) => {
      renameSync(dirname(path), `${dirname(path)}.real`);
      symlinkSync(`${dirname(path)}.real`, dirname(path));
    },
    /not there as a plain file/,
  ],
];

test.each(FORGERIES)(
  "a job that forges what it made, %s: its unit has failed, the others are registered",
  async (_, forge, words) => {
    const world = await makeWorld();
    const name = await world.submit(generation("gen", 2));
    await world.pass();
    world.engine.finish(world.storageDir, 1);
    await world.pass();
    world.engine.finish(world.storageDir);
    const run = [...world.engine.runs.values()][0]?.run;
    const file = join(run?.submitDir ?? "", "mg_000001", "merge_output.json");
    const made = JSON.parse(readFileSync(file, "utf8"));
    const text = forge(made, made.outputs[0].path);
    writeFileSync(file, typeof text === "string" ? text : JSON.stringify(made));
    await world.pass();
    await world.expectStatus(name, "held");
    expect((await world.request(name)).hold).toMatchObject({
      code: "permanent-failures",
      message: expect.stringMatching(words),
      evidence: { failedUnits: ["mg_000001"], codes: [expect.objectContaining({ name: "70318 forged_output" })] },
    });
    expect(await world.store.units.list((await world.workflow(name)).id)).toMatchObject([
      { name: "mg_000000", status: "registered" },
    ]);
    const by = { actor: "ann", version: null, dryRun: false };
    await world.commands.act(name, { action: "release", reason: "again", modifications: { top_up: true } }, by);
    await world.pass();
    expect(world.engine.submitted.at(-1)?.toRun).toEqual(["mg_000002"]);
  },
);

test("outputs that vanished are not called registered", async () => {
  const world = await makeWorld();
  const name = await world.submit(generation("gen", 1));
  await world.pass();
  world.engine.finish(world.storageDir);
  rmSync(join(world.storageDir, "merged/gen/gen/mg_000000.out"));
  for (let i = 0; i < 4; i += 1) await world.pass();
  await world.expectStatus(name, "held");
  expect((await world.request(name)).hold?.message).toMatch(/mg_000000 cannot be registered: .*is not there/);
});
