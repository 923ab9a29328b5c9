import type { Show } from "./follow.ts";
import { paintFor, print, talk } from "./terminal.ts";
import { visibleLength } from "./view/text.ts";
import { watchFrame } from "./view/watch-frame.ts";
import { changeKey, changeLine, progressOf, type WatchedRequest } from "./view/watched.ts";

/** For people: a live picture on a terminal; a line whenever something changed, for logs and pipes. */
export const personShow = (stream: NodeJS.WriteStream): Show =>
  stream.isTTY ? liveShow(stream) : onChange((one) => print(changeLine(one, new Date())));

/** A picture that is drawn over itself, on a terminal. */
function liveShow(stream: NodeJS.WriteStream): Show {
  const screen = new Screen(stream);
  const paint = paintFor(stream);
  let last: { watched: readonly WatchedRequest[]; notice: string | null } | null = null;
  const draw = () => {
    if (last) screen.draw(watchFrame(last.watched, last.notice, { ...screen.size, now: new Date(), paint }));
  };
  stream.on("resize", draw);
  return {
    update(watched, notice) {
      last = { watched, notice };
      draw();
    },
    close() {
      stream.off("resize", draw);
      screen.close();
    },
  };
}

/** For programs: one JSON document a line. */
export function jsonShow(): Show {
  return onChange((one) => {
    const now = new Date();
    const { units, nodes, retries, round, elapsedSec } = progressOf(one, now);
    const { request_name, status, hold, error, waiting } = one.request;
    const view = { at: now.toISOString(), request_name, status, round, units, nodes, retries };
    print(JSON.stringify({ ...view, elapsed_sec: Math.round(elapsedSec * 10) / 10, hold, error, waiting }));
  });
}

function onChange(tell: (one: WatchedRequest) => void): Show {
  const told = new Map<string, string>();
  let silent = false;
  return {
    update(watched, notice) {
      for (const one of watched) {
        const key = changeKey(one);
        if (told.get(one.request.request_name) === key) continue;
        told.set(one.request.request_name, key);
        tell(one);
      }
      if (notice !== null && !silent) talk(notice);
      if (notice === null && silent) talk("the server answers again");
      silent = notice !== null;
    },
    close() {},
  };
}

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
class Screen {
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

  close(): void {
    this.#stream.write(SHOW_CURSOR);
  }
}
