import { Command } from "commander";
import { afterEach, expect, test, vi } from "vitest";
import { collect, command, group, listing } from "./command.ts";
import { number } from "./option-values.ts";

afterEach(() => {
  vi.restoreAllMocks();
  process.exitCode = undefined;
});

const addPaint = command("paint", {
  about: "colours a wall",
  arguments: { "<wall>": "which one", "[coats...]": "with what" },
  options: {
    "--thick <mm>": { about: "how thick", parse: number, fallback: 2 },
    "--brush <kind>": { about: "may be repeated", parse: collect },
    "--no-primer": "on the bare wall",
    "--dry-run": "only look",
  },
  examples: ["wms2 paint north"],
  more: "Watch the floor.",
  run: ({ options: { thick, brush, primer, dryRun } }, wall: string, coats: readonly string[]) => ({
    json: { wall, coats, thick, brush, primer, dryRun },
    page: ({ paint }) => paint.bold(wall),
    note: `${thick.toFixed(1)} mm`,
    exit: 3,
  }),
});
const addWalls = command("walls", {
  about: "all walls",
  json: "for programs",
  run: () => listing([["wall", (wall: string) => wall]], [], "no walls"),
});

async function run(...words: string[]): Promise<{ out: string; err: string; exit: unknown }> {
  const said = { out: "", err: "" };
  for (const name of ["out", "err"] as const)
    vi.spyOn(process[`std${name}`], "write").mockImplementation((text) => {
      said[name] += String(text);
      return true;
    });
  const program = new Command("wms2").option("--data-dir <dir>").exitOverride();
  group("house", "a house", [addPaint, addWalls])(program);
  await program.parseAsync(["node", "wms2", "house", ...words]).catch(() => {});
  vi.restoreAllMocks();
  return { ...said, exit: process.exitCode };
}

test("people get a page and a note, programs JSON; both the exit code", async () => {
  expect(await run("paint", "north")).toEqual({ out: "north\n", err: "2.0 mm\n", exit: 3 });
  const words = ["paint", "north", "red", "--thick", "5", "--brush", "a", "--brush", "b", "--no-primer", "--json"];
  const { out, err, exit } = await run(...words);
  expect(JSON.parse(out)).toEqual({ wall: "north", coats: ["red"], thick: 5, brush: ["a", "b"], primer: false });
  expect([err, exit]).toEqual(["", 3]);
});

test("a table without rows is nothing but words", async () => {
  expect(await run("walls")).toMatchObject({ out: "", err: "no walls\n" });
  expect(JSON.parse((await run("walls", "--json")).out)).toEqual({ items: [] });
});

test("help tells all of it; --json is the last option", async () => {
  const { out } = await run("paint", "--help");
  for (const line of ["which one", "how thick (default: 2)", "Examples:\n  wms2 paint north\n\nWatch the floor."])
    expect(out).toContain(line);
  expect(out.indexOf("--json")).toBeGreaterThan(out.indexOf("--dry-run"));
  expect((await run("walls", "--help")).out).toMatch(/--json +for programs/);
});

test("a bad word is refused before anything is done", async () => {
  const { err, exit } = await run("paint", "north", "--thick", "much");
  expect(err).toContain("It must be a number.");
  expect(exit).toBeUndefined();
});
