import pc from "picocolors";

/** Colours and signs for one stream: plain text when nobody looks, or when NO_COLOR asks for it. */
export type Paint = ReturnType<typeof pc.createColors>;

export const plain: Paint = pc.createColors(false);
export const coloured: Paint = pc.createColors(true);

export function paintFor(stream: { isTTY?: boolean | undefined }, env = process.env): Paint {
  if (env.NO_COLOR) return plain;
  if (env.FORCE_COLOR && env.FORCE_COLOR !== "0") return coloured;
  return stream.isTTY && env.TERM !== "dumb" ? coloured : plain;
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
export const printJson = (value: unknown): void => print(JSON.stringify(value, null, 2));

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
