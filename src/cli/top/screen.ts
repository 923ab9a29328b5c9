import { own } from "../view/own-sequences.ts";

/** Alternate screen, no cursor, no folding of lines that are wider than we think. */
const ENTER = own("?1049", "h") + own("?25", "l") + own("?7", "l");
const LEAVE = own("?7", "h") + own("?25", "h") + own("?1049", "l");
/** Terminals that know it show the frame at once; the others ignore it. */
const BEGIN_FRAME = own("?2026", "h");
const END_FRAME = own("?2026", "l");
const CLEAR_SCREEN = own(2, "J");
/** Before its text is written: at the end of a full line it would take the last character. */
const CLEAR_LINE = own(2, "K");

/** What to write so that a screen with `before` shows `after`: only the lines that differ. Empty: nothing to do. */
export function changedLines(before: readonly string[], after: readonly string[]): string {
  const lines = after.flatMap((line, at) =>
    before[at] === line ? [] : [`${own(at + 1, "H")}${own(0, "m")}${CLEAR_LINE}${line}`],
  );
  return lines.length > 0 ? BEGIN_FRAME + lines.join("") + END_FRAME : "";
}

interface Screen {
  draw(lines: readonly string[]): void;
  /** Nothing that is on it counts any more: the next frame is drawn whole. */
  forget(): void;
  /** The terminal as it was before; `enter` takes it again. Both may be called twice. */
  leave(): void;
  enter(): void;
}

/** The whole terminal, until it is left: at the latest when the process ends. */
export function openScreen(
  stdin: Pick<NodeJS.ReadStream, "setRawMode">,
  stdout: Pick<NodeJS.WriteStream, "write">,
): Screen {
  let shown: readonly string[] = [];
  let isOpen = false;
  const forget = () => {
    shown = [];
    stdout.write(CLEAR_SCREEN);
  };
  const leave = () => {
    if (!isOpen) return;
    isOpen = false;
    process.off("exit", leave);
    stdout.write(LEAVE);
    stdin.setRawMode(false);
  };
  const enter = () => {
    if (isOpen) return;
    isOpen = true;
    process.on("exit", leave);
    stdin.setRawMode(true);
    stdout.write(ENTER);
    forget();
  };
  enter();
  return {
    draw(lines) {
      if (!isOpen) return;
      const text = changedLines(shown, lines);
      shown = lines;
      if (text) stdout.write(text);
    },
    forget,
    leave,
    enter,
  };
}
