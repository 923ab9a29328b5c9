import fc from "fast-check";
import { expect, test } from "vitest";
import { dotStuffed, header, type Mail, mailText } from "./mail-text.ts";

const mail: Mail = {
  from: "wms2@example.org",
  to: ["a@example.org", "b@example.org"],
  subject: "hello",
  body: "one\n.two\n",
  date: new Date("2026-01-02T03:04:05Z"),
  messageId: "m1",
  inReplyTo: null,
  headers: {},
};

test("a mail has its headers, a blank line and its text", () => {
  expect(mailText(mail).split("\r\n")).toEqual([
    "From: wms2@example.org",
    "To: a@example.org,",
    " b@example.org",
    "Subject: hello",
    "Date: Fri, 02 Jan 2026 03:04:05 +0000",
    "Message-ID: <m1>",
    "MIME-Version: 1.0",
    "Content-Type: text/plain; charset=utf-8",
    "Content-Transfer-Encoding: 7bit",
    "Auto-Submitted: auto-generated",
    "",
    "one",
    ".two",
    "",
  ]);
  expect(dotStuffed("a\r\n.\r\n..b")).toBe("a\r\n..\r\n...b");
});

test("text that is not ASCII, or has very long lines, travels as base64", () => {
  for (const body of ["žluťoučký kůň", "x".repeat(5000)]) {
    const [head = "", text = ""] = mailText({ ...mail, body }).split("\r\n\r\n");
    expect(head).toContain("Content-Transfer-Encoding: base64");
    expect(Buffer.from(text, "base64").toString()).toBe(body);
    expect(text.split("\r\n").every((line) => line.length <= 76)).toBe(true);
  }
});

test("whatever the subject, it stays one header with short lines and can be read back", () => {
  fc.assert(
    fc.property(fc.string({ unit: "grapheme", maxLength: 300 }), (subject) => {
      const lines = header("Subject", subject).split("\r\n");
      expect(lines.slice(1).every((line) => line.startsWith(" "))).toBe(true);
      expect(lines.every((line) => line.length <= 76 && /^[\x20-\x7e]*$/.test(line))).toBe(true);
      const read = lines
        .map((line) => line.replace(/^Subject: | /, ""))
        .map((word) => {
          const match = /^=\?utf-8\?B\?(.*)\?=$/.exec(word);
          return match ? Buffer.from(match[1] ?? "", "base64").toString() : word;
        })
        .join("");
      expect(read).toBe(subject.replaceAll(/[\r\n\t\0]+/g, " ").trim());
    }),
    { numRuns: 1000 },
  );
});

test("a subject with line ends cannot add a header", () => {
  expect(mailText({ ...mail, subject: "x\r\nBcc: evil@example.org" })).not.toMatch(/^Bcc/m);
});
