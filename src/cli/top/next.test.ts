import { describe, expect, test } from "vitest";
import { afterKeys, seen, topFacts } from "../../../tests/support/top-samples.ts";
import { next } from "./next.ts";
import { itemsOf, placeIn, type TopState } from "./state.ts";

const chosen = (state: TopState) => itemsOf(state)[placeIn(state)]?.key;
const key = (state: TopState, name: string) => next(state, { kind: "key", key: name });
const would = (name: string) => ({
  request_name: name,
  outcome: "would" as const,
  status: "held" as const,
  message: "release: …",
  version: 7,
  effect: null,
  warnings: [],
  problems: [],
});

test.each<[string, string[], string | undefined]>([
  ["those that need a person are first", [], "taus"],
  ["down", ["down"], "taus-v2"],
  ["j and k", ["j", "j", "k"], "taus-v2"],
  ["not beyond the end", ["end", "down"], "queued-late"],
  ["not beyond the beginning", ["home", "up"], "taus"],
  ["a page at a time", ["pagedown"], "queued-late"],
  ["a filter of words anywhere in the row", ["/", ..."late queued"], "queued-late"],
  ["a filter for which nothing is left", ["/", ..."nonsense"], undefined],
  ["backspace in a filter", ["/", ..."lateX", "backspace"], "queued-late"],
  ["escape takes the filter away", ["/", ..."late", "enter", "escape"], "queued-late"],
  ["the causes", ["2"], "65:north"],
  ["the alerts", ["3"], "7"],
  ["tab goes round", ["tab", "tab", "tab", "tab"], "taus"],
])("the choice: %s", (_, keys, expected) => {
  expect(chosen(afterKeys(keys))).toBe(expected);
});

test("the choice stays with its request when rows move, and at its place when the request is gone", () => {
  const state = afterKeys(["down", "down"]);
  expect(chosen(state)).toBe("muons-2026");
  const { rows } = topFacts();
  const moved = next(state, { kind: "facts", facts: topFacts({ rows: [...rows].reverse() }) }).state;
  expect(chosen(moved)).toBe("muons-2026");
  const others = rows.filter(({ request_name }) => request_name !== "muons-2026");
  expect(chosen(next(state, { kind: "facts", facts: topFacts({ rows: others }) }).state)).toBe("queued-late");
});

describe("an action", () => {
  test("is previewed, needs a reason, and is then asked for", () => {
    const asked = key(seen(80, 24), "r");
    const wish = { action: "release", names: ["taus"] } as const;
    expect(asked.effect).toEqual({ do: "preview", wish });
    const pending = asked.state.over;
    if (pending?.kind !== "preview") throw new Error("no preview");
    // Before the preview is there, nothing can be done.
    expect(key(asked.state, "enter").effect).toBeUndefined();
    const shown = next(asked.state, { kind: "previewed", wish: pending.wish, items: [would("taus")] }).state;
    expect(key(shown, "enter")).toMatchObject({ state: { message: "enter a reason: it is kept with the request" } });
    const typed = afterKeys([..."disk is back"], shown);
    const { state, effect } = key(typed, "enter");
    expect(effect).toEqual({ do: "act", wish, previewed: [would("taus")], reason: "disk is back" });
    expect(state.over).toBeNull();
  });

  test("that would change nothing cannot be done", () => {
    const { state } = key(seen(80, 24), "r");
    const wish = state.over?.kind === "preview" ? state.over.wish : expect.fail();
    const items = [{ ...would("taus"), outcome: "refused" as const }];
    const shown = next(state, { kind: "previewed", wish, items }).state;
    expect(key(afterKeys(["x"], shown), "enter").effect).toBeUndefined();
  });

  test("taken back: its late preview is not shown", () => {
    const { state } = key(seen(80, 24), "h");
    const wish = state.over?.kind === "preview" ? state.over.wish : expect.fail();
    const back = key(state, "escape").state;
    expect(next(back, { kind: "previewed", wish, items: [would("taus")] }).state.over).toBeNull();
  });

  test.each([
    ["on all that are marked", [" ", " ", "h"], ["taus", "taus-v2"]],
    ["on all requests of a cause", ["2", "h"], ["taus", "taus-v2"]],
    ["on the cause whose details are open", ["2", "enter", "h"], ["taus", "taus-v2"]],
    ["on the request of an alert", ["3", "h"], ["taus"]],
    ["on the request whose details are open", ["down", "enter", "h"], ["taus-v2"]],
    ["on one in the queue", ["4", "h"], ["queued-late"]],
  ])("%s", (_, keys, names) => {
    const { over } = afterKeys(keys);
    expect(over).toMatchObject({ kind: "preview", wish: { names } });
  });

  test("on a cause of more requests than are named goes by its filter", () => {
    const [cause] = topFacts().causes;
    const many = seen(80, 24, topFacts({ causes: [{ ...cause!, requests: 37 }] }));
    expect(afterKeys(["2", "r"], many).over).toMatchObject({ wish: { filter: { code: 65, site: "north" } } });
  });

  test("what was refused stays marked", () => {
    const marked = afterKeys([" ", " "]);
    const items = [would("taus"), { ...would("taus-v2"), outcome: "refused" as const, message: "it is completed" }];
    const wish = { action: "hold", names: ["taus", "taus-v2"] } as const;
    const { state, effect } = next(marked, { kind: "acted", wish, items });
    expect([...state.marked]).toEqual(["taus-v2"]);
    expect(state.message).toBe("hold: 2 requests: 1 would, 1 refused (taus-v2: it is completed)");
    expect(effect).toEqual({ do: "look" });
  });
});

test.each([
  ["200000", { priority: 200_000 }],
  ["urgent", { urgent: true }],
  ["normal", { urgent: false }],
])("priority %s", (text, change) => {
  const state = afterKeys(["p", ...text, "enter"]);
  expect(state.over).toMatchObject({ kind: "preview", wish: { action: "priority", names: ["taus"], change } });
  expect(next(afterKeys(["p", ...text]), { kind: "key", key: "enter" }).effect).toMatchObject({
    do: "preview",
    wish: { change },
  });
});

test.each(["-1", "1.5", "soon", "99999999999", "9999999", ""])("no priority: %j", (text) => {
  const state = afterKeys(["p", ...text, "enter"]);
  expect(state.over?.kind).toBe("priority");
  expect(state.message).toContain("whole number");
});

test("details scroll as far as they go, and no further", () => {
  const opened = afterKeys(["enter"]);
  const lines = Array.from({ length: 40 }, (_, at) => `line ${at}`);
  const shown = next(opened, { kind: "details", name: "taus", lines }).state;
  expect(afterKeys(["end"], shown).over).toMatchObject({ scroll: 20 });
  expect(afterKeys(["end", "down", "up"], shown).over).toMatchObject({ scroll: 19 });
  expect(next(shown, { kind: "details", name: "another", lines: [] }).state).toBe(shown);
  expect(afterKeys(["escape"], shown).over).toBeNull();
});

test("a server that is gone is told of until it answers", () => {
  const gone = next(seen(80, 24), { kind: "trouble", message: "no answer" }).state;
  expect(gone).toMatchObject({ trouble: "no answer", facts: expect.anything() });
  expect(next(gone, { kind: "facts", facts: topFacts() }).state.trouble).toBeNull();
});

test.each(["q", "ctrl-c"])("%s quits", (name) => {
  expect(key(seen(80, 24), name).effect).toEqual({ do: "quit" });
});

test("while something is typed, letters are letters, and only ctrl-c quits", () => {
  expect(key(afterKeys(["/"]), "q").effect).toBeUndefined();
  expect(key(afterKeys(["/"]), "ctrl-c").effect).toEqual({ do: "quit" });
});
