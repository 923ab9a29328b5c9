import { visibleLength } from "./view/text.ts";

const HIDE_CURSOR = "\u001b[?25l";
const SHOW_CURSOR = "\u001b[?25h";
/** Terminals that know it show the frame at once; the others ignore it. */
const BEGIN_FRAME = "\u001b[?2026h";
const END_FRAME = "\u001b[?2026l";
const CLEAR_LINE_END = "\u001b[K";
const CLEAR_BELOW = "\u001b[J";

/**
 * Draws frames over one another at the place where the first one began. Lines are overwritten, never cleared
 * first, and a frame is one write: nothing flickers. When the window became narrower, the terminal has folded the
 * old lines, so the way up is counted at the new width.
 */
export class Screen {
  readonly #stream: NodeJS.WriteStream;
  #last: readonly string[] = [];

  constructor(stream: NodeJS.WriteStream) {
    this.#stream = stream;
    stream.write(HIDE_CURSOR);
  }

  get size(): { width: number; height: number } {
    return { width: Math.max(20, this.#stream.columns || 80), height: Math.max(4, this.#stream.rows || 24) };
  }

  draw(lines: readonly string[]): void {
    const { width } = this.size;
    const up = this.#last.reduce((sum, line) => sum + Math.max(1, Math.ceil(visibleLength(line) / width)), 0);
    const climb = up > 0 ? `\u001b[${up}A\r` : "";
    const body = lines.map((line) => `${line}${CLEAR_LINE_END}\n`).join("");
    this.#stream.write(`${BEGIN_FRAME}${climb}${body}${CLEAR_BELOW}${END_FRAME}`);
    this.#last = lines;
  }

  /** Words that stay above the frame, which is drawn again below them at the next draw. */
  close(): void {
    this.#stream.write(SHOW_CURSOR);
    this.#last = [];
  }
}
