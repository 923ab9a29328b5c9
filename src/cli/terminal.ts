import { plainJson } from "../core/base/plain-text.ts";
import { own, shown } from "./view/own-sequences.ts";

/** Opening and closing code of each colour. */
const COLORS = {
  bold: [1, 22],
  dim: [2, 22],
  red: [31, 39],
  green: [32, 39],
  yellow: [33, 39],
  cyan: [36, 39],
} as const;

/** Colours and signs for one stream: plain text when nobody looks, or when NO_COLOR asks for it. */
export type Paint = Readonly<Record<keyof typeof COLORS, (text: string) => string>>;

const paintWith = (one: (open: number, close: number) => (text: string) => string): Paint =>
  Object.fromEntries(Object.entries(COLORS).map(([name, [open, close]]) => [name, one(open, close)])) as Paint;

export const plain: Paint = paintWith(() => (text) => text);
export const colored: Paint = paintWith((open, close) => {
  const [begin, end] = [own(open, "m"), own(close, "m")];
  // A colour within goes back to this one.
  return (text) => `${begin}${text.replaceAll(end, `${end}${begin}`)}${end}`;
});

export function paintFor(stream: { isTTY?: boolean | undefined }, env = process.env): Paint {
  if (env.NO_COLOR) return plain;
  if (env.FORCE_COLOR && env.FORCE_COLOR !== "0") return colored;
  return stream.isTTY && env.TERM !== "dumb" ? colored : plain;
}

/** How wide a line may be. Not a terminal: wide enough not to cut what a program or a log will keep. */
export function widthOf(stream: { isTTY?: boolean | undefined; columns?: number | undefined }): number {
  if (!stream.isTTY) return 200;
  return Math.max(40, Math.min(stream.columns || 80, 240));
}

/** What a page is made for: at what time, how wide, in which colours. */
export interface Look {
  readonly now: Date;
  readonly width: number;
  readonly paint: Paint;
}

export const lookAt = (stream: NodeJS.WriteStream): Look => ({
  now: new Date(),
  width: widthOf(stream),
  paint: paintFor(stream),
});

/** Data: what the command was asked for. */
export const print = (text: string): void => {
  process.stdout.write(text.endsWith("\n") ? text : `${text}\n`);
};

/** Talk: everything else a person may want to read. */
export const talk = (text: string): void => {
  process.stderr.write(text.endsWith("\n") ? text : `${text}\n`);
};

export function tellWarnings(warnings: readonly string[]): void {
  const paint = paintFor(process.stderr);
  for (const warning of warnings) talk(`${paint.yellow("warning:")} ${warning}`);
}

/** Indented for people with jq or without; one document per command. */
export const printJson = (value: unknown): void => print(plainJson(JSON.stringify(value, null, 2)));

/** Whatever is written from now on, by whomever, steers the terminal only where we meant it to. */
export function guardTerminal(): void {
  for (const stream of [process.stdout, process.stderr]) {
    const write = stream.write.bind(stream) as (...words: unknown[]) => boolean;
    stream.write = (chunk: unknown, ...rest: unknown[]) =>
      write(typeof chunk === "string" ? shown(chunk) : chunk, ...rest);
  }
}

/**
 * `wms2 list | head` is no error: when the reader or the terminal went away, there is nothing left to say. Who has
 * something to clean up listens for SIGHUP.
 */
export function endQuietlyWithoutReader(): void {
  let gone = false;
  for (const stream of [process.stdout, process.stderr]) {
    stream.on("error", (error: NodeJS.ErrnoException) => {
      if (error.code !== "EPIPE" && error.code !== "EIO") throw error;
      if (gone) return;
      gone = true;
      if (!process.emit("SIGHUP", "SIGHUP")) process.exit(0);
    });
  }
}

/** Called when somebody is impatient or the terminal closes, until it is forgotten. */
export function onSignals(act: () => void): () => void {
  const signals = ["SIGINT", "SIGTERM", "SIGHUP"] as const;
  for (const signal of signals) process.on(signal, act);
  return () => {
    for (const signal of signals) process.off(signal, act);
  };
}
