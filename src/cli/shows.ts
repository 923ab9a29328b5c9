import type { Show } from "./follow.ts";
import { Screen } from "./screen.ts";
import { paintFor, print, talk } from "./terminal.ts";
import { watchFrame } from "./view/watch-frame.ts";
import { changeKey, changeLine } from "./view/watch-lines.ts";
import { progressOf, type WatchedRequest } from "./view/watched.ts";

/** A picture that is drawn over itself, on a terminal. */
export function liveShow(stream: NodeJS.WriteStream): Show {
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

/** A line whenever something changed, for logs and pipes. */
export function lineShow(): Show {
  return onChange((one) => print(changeLine(one, new Date())));
}

/** The same for programs: one JSON document a line. */
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
