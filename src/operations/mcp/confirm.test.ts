import { expect, test } from "vitest";
import { fingerprint, makeConfirm, type Previewed, readConfirm } from "./confirm.ts";

const NOW = new Date("2026-01-01T12:00:00Z");
const later = (minutes: number) => new Date(NOW.getTime() + minutes * 60_000);
const previewed: Previewed = {
  tool: "release",
  input: { name: "muons", site_bans: ["south"], reason: "it is broken" },
  secret: "s3cret",
};
const token = makeConfirm(previewed, "v7", NOW);
const other = (over: Partial<Previewed>): Previewed => ({ ...previewed, ...over });

test.each<[string, string, Previewed, Date, boolean | RegExp]>([
  ["the same call", token, previewed, later(1), true],
  [
    "fields in another order",
    token,
    other({ input: Object.fromEntries(Object.entries(previewed.input).reverse()) }),
    NOW,
    true,
  ],
  ["after a quarter of an hour", token, previewed, later(16), /older than 15 minutes/],
  ["a server whose clock is a little behind", token, previewed, later(-1), true],
  ["a clock that was set back since", token, previewed, later(-120), /clock that has been set back/],
  ["another tool", token, other({ tool: "abort" }), NOW, /not for this call/],
  ["another argument", token, other({ input: { ...previewed.input, site_bans: ["north"] } }), NOW, /not for this call/],
  ["one argument more", token, other({ input: { ...previewed.input, how: "rescue" } }), NOW, /not for this call/],
  ["another operator token", token, other({ secret: "stolen" }), NOW, /not for this call/],
  ["another state written over it", token.replace("v7", "v8"), previewed, NOW, /not for this call/],
  ["a later end written over it", token.replace(/\.\w+\./, ".zzzzzz."), previewed, NOW, /not for this call/],
  ["made up", "yes", previewed, NOW, /not for this call/],
  ["empty", "", previewed, NOW, /not for this call/],
])("a confirm token and %s", (_, confirm, call, now, expected) => {
  const read = readConfirm(confirm, call, now);
  if (expected === true) expect(read).toEqual({ ok: true, state: "v7" });
  else expect(read).toMatchObject({ ok: false, why: expect.stringMatching(expected as RegExp) });
});

test("times in arguments count; in a preview they move with the clock and do not", () => {
  const at = (until: string) => ({ site: "south", until, effect: { used_by: 2 } });
  const said = (time: string, open = 2) => ({ message: `north is banned until ${time} UTC; ${open} open requests` });
  expect(fingerprint(said("2026-01-03 00:01"))).toBe(fingerprint(said("2026-01-03 00:02")));
  expect(fingerprint(said("2026-01-03 00:01"))).not.toBe(fingerprint(said("2026-01-03 00:01", 3)));
  expect(fingerprint(at("2026-01-06T12:00:00.000Z"))).toBe(fingerprint(at("2026-01-06T12:00:01.000Z")));
  expect(fingerprint(at("x"))).not.toBe(fingerprint({ ...at("x"), effect: { used_by: 3 } }));
  const timed = (until: string) => other({ input: { until } });
  const confirm = makeConfirm(timed("2026-01-06T12:00:00.000Z"), "v1", NOW);
  expect(readConfirm(confirm, timed("2027-01-06T12:00:00.000Z"), NOW).ok).toBe(false);
});
