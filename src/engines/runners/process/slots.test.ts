import { describe, expect, test } from "vitest";
import { Slots, type Want } from "./slots.ts";

const want = (cluster: number, more: Partial<Want> = {}): Want => ({
  cluster,
  cpus: 1,
  memoryMb: 100,
  desiredSites: null,
  bannedSites: [],
  priority: 0,
  ...more,
});
const all = (slots: Slots): [number, string][] => {
  const taken: [number, string][] = [];
  for (let next = slots.take(); next; next = slots.take()) taken.push([next.want.cluster, next.site]);
  return taken;
};
const SITES = [
  { name: "A", cores: 2, memoryMb: 1000 },
  { name: "B", cores: 1, memoryMb: 500 },
];

describe("slots", () => {
  test("are filled, spread over sites, and given back", () => {
    const slots = new Slots(SITES);
    for (let id = 1; id <= 5; id++) slots.add(want(id));
    expect(all(slots)).toEqual([
      [1, "A"],
      [2, "A"],
      [3, "B"],
    ]);
    slots.free("B", want(3));
    expect(all(slots)).toEqual([[4, "B"]]);
    slots.free("B", want(4));
    expect(all(slots)).toEqual([[5, "B"]]);
  });

  test("wished and banned sites", () => {
    const slots = new Slots(SITES);
    slots.add(want(1, { desiredSites: ["B"] }));
    slots.add(want(2, { desiredSites: ["B"] }));
    slots.add(want(3, { bannedSites: ["A"] }));
    slots.add(want(4));
    expect(all(slots)).toEqual([
      [1, "B"],
      [4, "A"],
    ]);
  });

  test("priority first; one that does not fit does not block the others", () => {
    const slots = new Slots(SITES);
    slots.add(want(1));
    slots.add(want(2, { priority: 5 }));
    slots.add(want(3, { priority: 9, cpus: 2, desiredSites: ["B"] }));
    expect(all(slots).map(([id]) => id)).toEqual([2, 1]);
  });

  test("memory counts too", () => {
    const slots = new Slots(SITES);
    slots.add(want(1, { memoryMb: 800 }));
    slots.add(want(2, { memoryMb: 800 }));
    expect(all(slots)).toEqual([[1, "A"]]);
  });

  test("says why a job can never start", () => {
    const slots = new Slots(SITES);
    slots.add(want(1, { cpus: 9 }));
    slots.add(want(2, { desiredSites: ["Z"] }));
    expect(slots.stuck().map(({ want, why }) => [want.cluster, why.reason])).toEqual([
      [1, expect.stringContaining("9 cores")],
      [2, expect.stringContaining("wants Z")],
    ]);
    slots.sites = [{ name: "A", cores: 16, memoryMb: 1000 }];
    expect(all(slots)).toEqual([[1, "A"]]);
  });

  test("GPUs are given out as the settings count them; where there are none, a job is told so", () => {
    const slots = new Slots([{ name: "A", cores: 4, memoryMb: 1000, gpus: 0 }]);
    slots.add(want(1, { gpus: 1 }));
    slots.add(want(2, { gpus: 1 }));
    expect(all(slots)).toEqual([]);
    expect(slots.stuck().map(({ why }) => why.reason)).toEqual([
      "asks for 1 GPU, and this engine has no GPU to give: where the machine has some, say how many in engine.local.sites (gpus)",
    ]);
    slots.sites = [{ name: "A", cores: 4, memoryMb: 1000, gpus: 1 }];
    expect(all(slots)).toEqual([[1, "A"]]);
    slots.free("A", want(1, { gpus: 1 }));
    expect(all(slots)).toEqual([[2, "A"]]);
  });

  test("one for which there is no room now says what it asks for, and how much is free where", () => {
    const slots = new Slots([{ name: "A", cores: 8, memoryMb: 4000 }]);
    slots.occupy("A", want(1, { cpus: 5, memoryMb: 1000 }));
    slots.add(want(2, { cpus: 8, memoryMb: 2000 }));
    slots.add(want(3, { cpus: 4, memoryMb: 2000 }));
    slots.add(want(4, { cpus: 3, memoryMb: 2000 }));
    expect(slots.stuck().map(({ want, why }) => [want.cluster, why.code, why.reason])).toEqual([
      [3, "slots", "asks for 4 cores and 2000 MB; the most that is free now is 3 cores and 3000 MB, at A"],
      [2, "slots", "asks for 8 cores and 2000 MB; the most that is free now is 3 cores and 3000 MB, at A"],
    ]);
    slots.add(want(5, { cpus: 9, memoryMb: 1 }));
    expect(slots.stuck().at(-1)).toMatchObject({ want: { cluster: 5 }, why: { code: "too-large" } });
  });

  test("what is in use stays counted when the sites change, and removed jobs do not start", () => {
    const slots = new Slots(SITES);
    slots.occupy("A", want(1, { cpus: 2 }));
    slots.sites = [{ name: "A", cores: 3, memoryMb: 1000 }];
    slots.add(want(2));
    slots.add(want(3));
    slots.remove(2);
    expect(all(slots)).toEqual([[3, "A"]]);
  });

  test("what is in use stays counted, also while its site is not there", () => {
    const slots = new Slots(SITES);
    slots.add(want(1, { cpus: 2 }));
    expect(all(slots)).toEqual([[1, "A"]]);
    slots.sites = [];
    slots.sites = SITES;
    slots.add(want(2, { desiredSites: ["A"] }));
    expect(all(slots)).toEqual([]);
    slots.free("A", want(1, { cpus: 2 }));
    for (const id of [3, 4]) slots.add(want(id, { desiredSites: ["A"] }));
    expect(all(slots)).toEqual([
      [2, "A"],
      [3, "A"],
    ]);
  });
});
