import { isAscii } from "node:buffer";

/** A mail as SMTP carries it: headers that cannot be broken out of, lines that end in CRLF, dots doubled. Pure. */
export interface Mail {
  readonly from: string;
  readonly to: readonly string[];
  readonly subject: string;
  readonly body: string;
  readonly date: Date;
  readonly messageId: string;
  /** The first mail about the same thing; null: this is it. */
  readonly inReplyTo: string | null;
  readonly headers: Readonly<Record<string, string>>;
}

export function mailText(mail: Mail): string {
  const body = encodedBody(mail.body);
  const lines = [
    `From: ${mail.from}`,
    `To: ${mail.to.join(",\r\n ")}`,
    header("Subject", mail.subject),
    `Date: ${mail.date.toUTCString().replace("GMT", "+0000")}`,
    `Message-ID: <${mail.messageId}>`,
    ...(mail.inReplyTo === null ? [] : [`In-Reply-To: <${mail.inReplyTo}>`, `References: <${mail.inReplyTo}>`]),
    "MIME-Version: 1.0",
    "Content-Type: text/plain; charset=utf-8",
    `Content-Transfer-Encoding: ${body.encoding}`,
    "Auto-Submitted: auto-generated",
    ...Object.entries(mail.headers).map(([name, value]) => header(name, value)),
    "",
    ...body.lines,
  ];
  return lines.join("\r\n");
}

/** A line that begins with a dot would end the mail early (RFC 5321 §4.5.2). */
export const dotStuffed = (text: string): string => text.replaceAll(/^\./gm, "..");

/** A line with an encoded word has at most 76 characters, and twelve of them are `=?utf-8?B?…?=`. */
const bytesPerWord = (name: string): number => Math.floor((76 - name.length - 2 - 12) / 4) * 3;

/** One header; what is not plain, or too long for a line, becomes encoded words (RFC 2047), folded between characters. */
export function header(name: string, value: string): string {
  const flat = value.replaceAll(/[\r\n\t\0]+/g, " ").trim();
  const plain = /^[\x20-\x7e]*$/.test(flat) && flat.length + name.length < 76 && !flat.includes("=?");
  if (plain) return `${name}: ${flat}`;
  const most = bytesPerWord(name);
  const words: string[] = [];
  let word = "";
  for (const sign of flat) {
    if (Buffer.byteLength(word + sign) > most) {
      words.push(word);
      word = "";
    }
    word += sign;
  }
  words.push(word);
  return `${name}: ${words.map((one) => `=?utf-8?B?${Buffer.from(one).toString("base64")}?=`).join("\r\n ")}`;
}

const LONGEST_LINE = 900;

function encodedBody(text: string): { encoding: "7bit" | "base64"; lines: readonly string[] } {
  const lines = text.replaceAll("\0", "").split(/\r\n|\r|\n/);
  const plain = isAscii(Buffer.from(text)) && lines.every((line) => line.length <= LONGEST_LINE);
  if (plain) return { encoding: "7bit", lines };
  const base64 = Buffer.from(lines.join("\r\n")).toString("base64");
  return { encoding: "base64", lines: base64.match(/.{1,76}/g) ?? [] };
}
