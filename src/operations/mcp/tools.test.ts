import { expect, test } from "vitest";
import { z } from "zod";
import { changes } from "../operation.ts";
import { outsideValue } from "./outside-text.ts";
import { makeTools } from "./tool.ts";
import { ROWS, TOOLS } from "./tools.ts";

test("the tools agents always had: names, arguments, what is needed", async () => {
  const lines = [...TOOLS.values()].map(({ name, changes, input }) => {
    const args = Object.entries(input.shape).map(([key, field]) =>
      field.safeParse(undefined).success ? `${key}?` : key,
    );
    return `${changes ? "change" : "look  "} ${name}: ${args.join(" ")}`;
  });
  await expect(`${lines.join("\n")}\n`).toMatchFileSnapshot("../../../tests/golden/mcp-tools.txt");
});

test("what cannot be undone says that it needs a reason", () => {
  const { input } = TOOLS.get("abort")!;
  expect(input.safeParse({ name: "muons" }).success).toBe(false);
  expect(input.safeParse({ name: "muons", reason: "not needed any more" }).success).toBe(true);
});

test("every row names an operation there is", () => {
  expect([...TOOLS.keys()]).toEqual(Object.keys(ROWS));
});

test.each([...TOOLS.values()].filter((tool) => tool.changes))(
  "$name can be tried without doing it",
  ({ operation }) => {
    expect(Object.keys(operation.query?.shape ?? {})).toContain("dry_run");
    expect(operation.role).toBe("operator");
  },
);

test("a new operation is a tool by one row", () => {
  const cool = changes("POST", "/requests/:name/cool", "Let it cool", {
    params: z.strictObject({ name: z.string() }),
    query: z.strictObject({ dry_run: z.enum(["true", "false"]).optional() }),
    body: z.strictObject({ minutes: z.number().describe("how long") }).prefault({ minutes: 1 }),
    answers: { 200: z.strictObject({}) },
  });
  const tool = makeTools({ cool: { of: "weather.cool" } }, { weather: { cool } }).get("cool");
  expect(tool?.changes).toBe(true);
  expect(Object.keys(tool?.input.shape ?? {})).toEqual(["minutes", "name", "dry_run", "confirm"]);
  expect(makeTools({ cool: { of: "weather.rain" } }, { weather: { cool } }).size).toBe(0);
});

test("nothing stays that is not seen", () => {
  const signs = [
    0xad, 0x34f, 0x61c, 0x115f, 0x1160, 0x17b4, 0x180b, 0x180e, 0x200b, 0x200c, 0x200d, 0x2060, 0x206a, 0x2800,
  ];
  const more = [
    0x3164, 0xfe00, 0xfe0f, 0xfeff, 0xffa0, 0xfff9, 0xfffa, 0xfffb, 0x1d173, 0xe0001, 0xe0041, 0xe007f, 0xe0100,
    0xe01ef,
  ];
  const text = [...signs, ...more].map((code) => `a${String.fromCodePoint(code)}`).join("");
  expect(String(outsideValue(text)).replaceAll(/[a\ufffd]/gu, "")).toBe("");
  expect(outsideValue("Zürich 東京 \u00a0é 😀 ½ {x}")).toBe("Zürich 東京 \u00a0é 😀 ½ {x}");
});

test("what others wrote cannot steer a terminal, hide from a reader, or say nothing at length", () => {
  const log = "\u001b[31mred\u001b[0m \u202egnorw\u200b\u{e0041}\u{e0042}ok\r\nnext";
  expect(outsideValue({ log, "k\u200bey": [log], none: null, deep: { none: null, n: 1 } })).toEqual({
    log: "red �gnorwok\nnext",
    key: ["red �gnorwok\nnext"],
    deep: { n: 1 },
  });
});
