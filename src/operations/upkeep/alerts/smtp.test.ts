import fc from "fast-check";
import { expect, test } from "vitest";
import type { AlertMessage } from "./message.ts";
import { mailText } from "./smtp.ts";

const at = new Date("2026-01-02T03:04:05Z");
const mail = async (change: Partial<AlertMessage>) => {
  const message = { id: "7", revision: 1, key: "held:muons", severity: "warning", source: "test", ...change };
  const text = (
    await mailText(message as AlertMessage, { from: "a@b.org", to: ["c@d.org", "e@f.org"] }, at)
  ).toString();
  const [head = "", ...body] = text.split("\r\n\r\n");
  return {
    headers: head.replaceAll(/\r\n[ \t]/g, " ").split("\r\n"),
    lines: head.split("\r\n"),
    body: body.join("\r\n\r\n"),
  };
};

test("a mail has its headers, a blank line and its text", async () => {
  const { headers, body } = await mail({ text: "wms2 WARNING muons", message: "one\n.two", revision: 2 });
  expect(headers).toEqual([
    "Auto-Submitted: auto-generated",
    "X-WMS2-Alert: held:muons",
    "X-WMS2-Severity: warning",
    "From: a@b.org",
    "To: c@d.org, e@f.org",
    "In-Reply-To: <wms2-alert-7-1.test>",
    "References: <wms2-alert-7-1.test>",
    "Subject: [wms2] WARNING muons",
    "Message-ID: <wms2-alert-7-2.test>",
    "Date: Fri, 02 Jan 2026 03:04:05 +0000",
    "Content-Transfer-Encoding: 7bit",
    "MIME-Version: 1.0",
    "Content-Type: text/plain; charset=utf-8",
  ]);
  expect(body).toContain("one\n.two\n");
});

test("text that is not ASCII, or has very long lines, arrives", async () => {
  const { headers, body } = await mail({ text: "x", message: `žluťoučký kůň ${"x".repeat(5000)}` });
  expect(headers).toContain("Content-Transfer-Encoding: quoted-printable");
  expect(body.split(/\r?\n/).filter((line) => line.length > 76)).toEqual([]);
  expect(body.replaceAll("=\r\n", "")).toContain(`k=C5=AF=C5=88 ${"x".repeat(5000)}`);
});

test("whatever an alert says, it adds no header, and lines stay short", async () => {
  const names = (headers: readonly string[]) => headers.map((line) => line.split(": ", 1)[0]);
  const usual = names((await mail({ text: "wms2 x", message: "y" })).headers);
  const words = fc.string({ unit: "grapheme", maxLength: 300 });
  const nasty = fc.oneof(
    words,
    fc.tuple(words, words).map(([a, b]) => `${a}\r\nBcc: evil@example.org\r\n\r\n${b}`),
  );
  await fc.assert(
    fc.asyncProperty(nasty, nasty, async (text, rest) => {
      const { headers, lines } = await mail({ text, key: `held:${rest}`, message: "y" });
      expect(names(headers)).toEqual(usual);
      expect(
        lines.every((line) => line.length <= 998 && /^[\x20-\x7e\t]*$/.test(line)),
        lines.join("\n"),
      ).toBe(true);
    }),
    { numRuns: 500 },
  );
});
