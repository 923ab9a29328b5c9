import { plainJson } from "../core/base/plain-text.ts";
import type { Notice, Show } from "./follow.ts";
import { lookAt, print, talk } from "./terminal.ts";
import { own } from "./view/own-sequences.ts";
import { visibleLength } from "./view/text.ts";
import { watchFrame } from "./view/watch-frame.ts";
import { changeKey, changeLine, progressOf, type WatchedRequest } from "./view/watched.ts";

/** For people: a live picture on a terminal; a line whenever something changed, for logs and pipes. */
export const personShow = (stream: NodeJS.WriteStream): Show =>
  stream.isTTY ? liveShow(stream) : onChange((one) => stream.write(`${changeLine(one, new Date())}\n`));

const HIDE_CURSOR = own("?25", "l");
const SHOW_CURSOR = own("?25", "h");
/** Terminals that know it show the frame at once; the others ignore it. */
const BEGIN_FRAME = own("?2026", "h");
const END_FRAME = own("?2026", "l");
const CLEAR_LINE_END = own("", "K");
const CLEAR_BELOW = own("", "J");

/**
 * Draws frames over one another at the place where the first one began. Lines are overwritten, never cleared
 * first, and a frame is one write: nothing flickers. When the window became narrower, the terminal has folded the
 * old lines, so the way up is counted at the new width.
 */
function liveShow(stream: NodeJS.WriteStream): Show {
  let seen: Parameters<Show["update"]> | null = null;
  let drawn: readonly string[] = [];
  const draw = () => {
    if (!seen) return;
    const width = Math.max(20, stream.columns || 80);
    const height = Math.max(4, stream.rows || 24);
    const up = drawn.reduce((sum, line) => sum + Math.max(1, Math.ceil(visibleLength(line) / width)), 0);
    const climb = up > 0 ? own(up, "A") + own(1, "G") : "";
    drawn = watchFrame(...seen, { ...lookAt(stream), width, height });
    const body = drawn.map((line) => `${line}${CLEAR_LINE_END}\n`).join("");
    stream.write(`${BEGIN_FRAME}${climb}${body}${CLEAR_BELOW}${END_FRAME}`);
  };
  stream.write(HIDE_CURSOR);
  stream.on("resize", draw);
  return {
    update(...watched) {
      seen = watched;
      draw();
    },
    close() {
      stream.off("resize", draw);
      stream.write(SHOW_CURSOR);
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
    print(plainJson(JSON.stringify({ ...view, elapsed_sec: Math.round(elapsedSec * 10) / 10, hold, error, waiting })));
  });
}

function onChange(tell: (one: WatchedRequest) => void): Show {
  const told = new Map<string, string>();
  let last: Notice | null = null;
  return {
    update(watched, notice) {
      for (const one of watched) {
        const key = changeKey(one);
        if (told.get(one.request.request_name) === key) continue;
        told.set(one.request.request_name, key);
        tell(one);
      }
      if (last?.kind === "silent" && notice?.kind !== "silent") talk("the server answers again");
      const isSame = notice?.kind === last?.kind && (notice?.kind === "silent" || notice?.message === last?.message);
      if (notice !== null && !isSame) talk(notice.message);
      last = notice;
    },
    close() {},
  };
}
