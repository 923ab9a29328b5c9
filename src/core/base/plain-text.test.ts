import { expect, test } from "vitest";
import { plainJson, plainText } from "./plain-text.ts";

test.each([
  ["words, tabs and lines stay", "Größe\t1 µm → ok 日本 🚀\nnext", "Größe\t1 µm → ok 日本 🚀\nnext"],
  ["colors", "\u001b[1;31mred\u001b[0m", "red"],
  ["the cursor and the screen", "a\u001b[2J\u001b[1;1H\u001b[?25lb", "ab"],
  ["a title, ended either way", "a\u001b]0;owned\u0007b\u001b]2;owned\u001b\\c", "abc"],
  ["a link", "\u001b]8;;http://evil\u001b\\click\u001b]8;;\u001b\\", "click"],
  ["the clipboard, never ended, on its line only", "a\u001b]52;c;aGk=\nb", "a\nb"],
  ["C1 controls", "a\u009b31mb\u009d0;owned\u009cc\u0085d", "abc�d"],
  ["short sequences and lone escapes", "a\u001bcb\u001b7c\u001b", "abc�"],
  ["bells, deletions, overwriting", "ok\u0007\b\u007f\rfailed", "ok����failed"],
  ["line ends of Windows", "a\r\nb", "a\nb"],
  ["the direction of writing", "user\u202etxt.exe\u2066x\u2069\u200f", "user�txt.exe�x��"],
])("%s", (_story, text, shown) => expect(plainText(text)).toBe(shown));

test("nothing that steers a terminal is left of any control characters, in linear time", () => {
  const begun = performance.now();
  for (const piece of ["\u001b[", "\u001b]", "\u001b]x;", "\u009b", "\u001b[1;", "\u001bP\u001b", "\u001b"]) {
    // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what must not be there
    expect(plainText(piece.repeat(20_000))).not.toMatch(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/);
  }
  expect(performance.now() - begun).toBeLessThan(5000);
});

test("JSON keeps its value and has nothing a terminal would obey", () => {
  const value = { name: "a\u009b2J\u202eb\u001b[31m\u007f" };
  const text = plainJson(JSON.stringify(value));
  expect(JSON.parse(text)).toEqual(value);
  expect(text).toBe('{"name":"a\\u009b2J\\u202eb\\u001b[31m\\u007f"}');
});
