import { expect, test } from "vitest";
import { adjusted, asksOf } from "./include-file.ts";

const NOTHING = { avoidHosts: [], avoidSites: [] };
const GIVEN = 'My.DESIRED_Sites = "T2_XX_Alpha"\nproc_000001_memory = 3072\nproc_000010_memory = 1';

test("a node's lines are replaced, those of others stay, also of nodes that begin alike", () => {
  expect(adjusted(GIVEN, { proc_000001: { ...NOTHING, memoryMb: 4000, wallMinutes: 624 } })).toBe(
    'My.DESIRED_Sites = "T2_XX_Alpha"\nproc_000010_memory = 1\nproc_000001_memory = 4000\nproc_000001_wall_minutes = 624\n',
  );
  expect(adjusted("", { "a.b-c": NOTHING })).toBe("");
  expect(adjusted("x_memory = 10 apples\n", { x: { ...NOTHING, memoryMb: null } })).toBe("");
});

test("adjusting twice is adjusting once", () => {
  const wanted = { memoryMb: 5, wallMinutes: 7, avoidHosts: ["w1.cern.ch", "w2"], avoidSites: ["T2_A"] };
  const once = adjusted(GIVEN, { proc_000001: wanted });
  expect(adjusted(once, { proc_000001: wanted })).toBe(once);
  expect(once).toContain(
    'proc_000001_other_host = (split(TARGET.Machine, ".")[0] =!= "w1" && split(TARGET.Machine, ".")[0] =!= "w2")\n',
  );
  expect(once).toContain('proc_000001_other_site = (TARGET.GLIDEIN_CMSSite =!= "T2_A")\n');
});

test("names from outside that could say more than a name do not get in", () => {
  const wanted = { ...NOTHING, avoidHosts: ['w" || True || "', "$(HOME)", ""], avoidSites: ['T2"\nqueue 100'] };
  expect(adjusted(GIVEN, { x: wanted })).toBe(`${GIVEN}\n`);
});

test("what a node asks for", () => {
  expect(asksOf(GIVEN, "proc_000001")).toEqual({ memoryMb: 3072, wallMinutes: null });
  expect(asksOf(GIVEN, "proc_00001")).toEqual({ memoryMb: null, wallMinutes: null });
  expect(asksOf("x_wall_minutes = 0.5\nx_memory = 10 apples", "x")).toEqual({ memoryMb: null, wallMinutes: 0.5 });
});
