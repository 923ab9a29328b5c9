import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { bareName, classAdString } from "./quote.ts";

/** What HTCondor makes of the text. */
function read(text: string): string {
  expect(text).toMatch(/^".*"$/su);
  let value = "";
  for (let at = 1; at < text.length - 1; at++) {
    if (text[at] === "\\") at += 1;
    else expect(text[at]).not.toBe('"');
    value += text[at];
  }
  return value;
}

describe("classAdString", () => {
  it("is read back as what was written, whatever it is", () => {
    const hostile = fc.string({ unit: fc.constantFrom('"', "\\", "$", "(", ")", ";", "'", "\n", "a", " ", "`", "é") });
    fc.assert(
      fc.property(fc.oneof(fc.string(), hostile), (text) => {
        // biome-ignore lint/suspicious/noControlCharactersInRegex: the same set the function refuses
        if (/[$\u0000-\u001f\u007f\u0085\u2028\u2029]/.test(text)) expect(() => classAdString(text)).toThrow();
        else expect(read(classAdString(text))).toBe(text);
      }),
      { numRuns: 2000 },
    );
  });

  it("looks as expected", () => {
    expect(classAdString("T2_XX_Alpha")).toBe('"T2_XX_Alpha"');
    expect(classAdString('a"b\\c')).toBe('"a\\"b\\\\c"');
    expect(() => classAdString("$(HOME)")).toThrow();
  });
});

describe("bareName", () => {
  it.each(["", "a b", "../x", "a\nb", "-x", "a;b", "$x", "x".repeat(201)])("refuses %j", (name) => {
    expect(() => bareName(name)).toThrow();
  });
  it("lets names through", () => expect(bareName("mg_000001")).toBe("mg_000001"));
});
