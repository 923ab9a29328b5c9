import fc from "fast-check";
import { expect, test } from "vitest";
import { WorldError } from "../../core/base/errors.ts";
import type { Answered, Fields } from "./ask.ts";
import { type Caller, callTool } from "./call-tool.ts";
import { ANSWER_CHARS } from "./fit.ts";
import type { Tool } from "./tool.ts";
import { TOOLS } from "./tools.ts";

const NOW = new Date("2026-01-01T12:00:00Z");
const tool = (name: string): Tool => TOOLS.get(name) as Tool;

/** Somebody who is answered alike whatever they ask, and remembers what was really asked. */
function caller(answer: Partial<Answered> = {}) {
  const asked: Fields[] = [];
  const isDry = ({ dry_run: dry }: Fields) => dry === true || dry === "true";
  const made: Caller = {
    ask: async (_, input) => {
      asked.push(input);
      return { status: 200, etag: null, body: { items: [], message: "x".repeat(50_000) }, ...answer };
    },
    secret: "s3cret",
    now: () => NOW,
    offers: (name) => name !== "abort",
  };
  return { made, asked, changed: () => asked.filter((input) => !isDry(input)) };
}

test("law: whatever an agent says, it is answered in few words, and nothing is changed without a preview", async () => {
  const word = fc.oneof(
    fc.constantFrom("r", "north", "x", "mg_000000", "true", "v1.zzzzzz.abc"),
    fc.string({ maxLength: 8 }),
  );
  const value = fc.oneof(word, fc.boolean(), fc.integer(), fc.constant(null), fc.array(word, { maxLength: 2 }));
  const args = fc.constantFrom(...TOOLS.keys()).chain((chosen) => {
    const known = Object.keys(tool(chosen).input.shape);
    const given = fc.dictionary(fc.oneof({ arbitrary: fc.constantFrom(...known), weight: 9 }, word), value, {
      maxKeys: 6,
    });
    return fc.tuple(fc.constant(chosen), fc.option(given, { nil: undefined }));
  });
  await fc.assert(
    fc.asyncProperty(args, async ([chosen, given]) => {
      const { made, changed } = caller();
      const { text, note } = await callTool(tool(chosen), given, made);
      expect(text.length).toBeLessThanOrEqual(ANSWER_CHARS + 500);
      expect(JSON.stringify(note ?? {}).length).toBeLessThanOrEqual(ANSWER_CHARS);
      if (tool(chosen).changes) expect(changed()).toEqual([]);
    }),
    { numRuns: 500 },
  );
});

test("what was previewed is what is asked, with the version that was seen", async () => {
  const { made, asked, changed } = caller({ etag: '"7"', body: { message: "would" } });
  const { note } = await callTool(tool("stop"), { name: "r", reason: "why" }, made);
  expect(changed()).toEqual([]);
  await callTool(tool("stop"), { reason: "why", name: "r", dry_run: false, confirm: note?.confirm }, made);
  expect(asked).toEqual([
    { name: "r", reason: "why", then: "hold", dry_run: true },
    { name: "r", reason: "why", then: "hold" },
  ]);
});

test("next steps name only tools there are for this caller", async () => {
  const allowed_actions = ["abort", "release"].map((action) => ({ action, meaning: "…" }));
  const { note } = await callTool(tool("show"), { name: "r" }, caller({ body: { allowed_actions } }).made);
  expect(note?.next_steps?.map((step) => step.tool)).toEqual(["release"]);
});

test("what is so already needs no confirmation", async () => {
  const { made } = caller({ body: { already: true } });
  expect(await callTool(tool("stop"), { name: "r" }, made)).toMatchObject({ isError: false, text: '{"already":true}' });
});

test.each<[string, Partial<Answered>, RegExp]>([
  [
    "a problem with its places",
    {
      status: 422,
      body: {
        code: "bad-request",
        detail: "it has 2 problems",
        hint: "fix them",
        problems: [
          { path: "events", message: "missing", allowed: "a number" },
          { path: "", message: "odd", allowed: null },
        ],
      },
    },
    /^it has 2 problems\n- events: missing \(allowed: a number\)\n- it: odd\ntry: fix them$/,
  ],
  [
    "a name nobody knows",
    { status: 404, body: { code: "not-found", detail: "there is no request r", hint: "GET /x" } },
    /^there is no request r\ntry: take names from list/,
  ],
  ["an answer that is no JSON", { status: 502, body: "<html>" }, /^the server gave no reason\ntry: /],
])("%s, in words for an agent", async (_, answer, expected) => {
  expect(await callTool(tool("show"), { name: "r" }, caller(answer).made)).toMatchObject({
    isError: true,
    text: expect.stringMatching(expected),
  });
});

test("nobody answers: what to try; a bug is not hidden", async () => {
  const throwing = (error: Error): Caller => ({ ...caller().made, ask: () => Promise.reject(error) });
  const away = new WorldError("server-unreachable", "u", "no answer from the server at u");
  expect((await callTool(tool("list"), {}, throwing(away))).text).toMatch(
    /no answer.*\ntry: start it with: wms2 serve/,
  );
  await expect(callTool(tool("list"), {}, throwing(new Error("oops")))).rejects.toThrow("oops");
});
