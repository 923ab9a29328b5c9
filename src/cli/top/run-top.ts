import { EventEmitter, on } from "node:events";
import { describeError, WorldError } from "../../core/base/errors.ts";
import type { Client } from "../client.ts";
import { lookAt } from "../terminal.ts";
import { act, gatherDetails, gatherFacts, preview } from "./ask.ts";
import { frame } from "./frame.ts";
import { listen } from "./listen.ts";
import { type Effect, next, type TopEvent } from "./next.ts";
import { openScreen } from "./screen.ts";
import { firstState, type TopState } from "./state.ts";

/** The desk on a whole terminal until somebody quits. The first look must succeed; later ones are tried again and again. */
export async function runTop(
  client: Client,
  stdin: NodeJS.ReadStream,
  stdout: NodeJS.WriteStream,
  everyMs: number,
): Promise<void> {
  const size = () => ({ width: Math.max(20, stdout.columns || 80), height: Math.max(8, stdout.rows || 24) });
  let state = next(firstState(size()), { kind: "facts", facts: await gatherFacts(client, { ended: false }) }).state;
  const events = new EventEmitter();
  const tell = (event: TopEvent): void => void events.emit("event", event);
  const fail = (error: unknown): void => void events.emit("error", error);
  const looker = makeLooker(() => look(client, state, tell), everyMs, fail);
  const screen = openScreen(stdin, stdout);
  const forget = listen(stdin, stdout, {
    key: (key) => tell({ kind: "key", key }),
    redraw: () => {
      screen.enter();
      screen.forget();
      tell({ kind: "resize", ...size() });
    },
  });
  // The age of the numbers is told while no new ones come.
  const ticks = setInterval(() => tell({ kind: "tick" }), 1000);
  const answer = <T>(asked: Promise<T>, made: (value: T) => TopEvent): void =>
    void asked.then((value) => tell(made(value)), orElse("refused", tell)).catch(fail);
  const carryOut = (effect: Effect): void => {
    const { do: what } = effect;
    if (what === "look") looker.now();
    else if (what === "preview")
      answer(preview(client, effect.wish), (items) => ({ ...effect, kind: "previewed", items }));
    else if (what === "act")
      answer(act(client, effect.wish, effect.previewed, effect.reason), (items) => ({
        ...effect,
        kind: "acted",
        items,
      }));
    else if (what === "suspend") {
      screen.leave();
      process.kill(process.pid, "SIGTSTP");
    }
  };
  try {
    screen.draw(frame(state, client.url, lookAt(stdout)));
    for await (const [event] of on(events, "event") as AsyncIterable<[TopEvent]>) {
      const step = next(state, event);
      state = step.state;
      if (step.effect?.do === "quit") return;
      if (step.effect?.do === "redraw") screen.forget();
      screen.draw(frame(state, client.url, lookAt(stdout)));
      if (step.effect) carryOut(step.effect);
    }
  } finally {
    clearInterval(ticks);
    looker.stop();
    forget();
    screen.leave();
  }
}

/** An error that may pass is told; any other is a bug. */
const orElse = (kind: "trouble" | "refused", tell: (event: TopEvent) => void) => (error: unknown) => {
  if (!(error instanceof WorldError)) throw error;
  tell({ kind, message: describeError(error) });
};

/** Asks for what is on the screen. */
async function look(client: Client, { over, ended, width }: TopState, tell: (event: TopEvent) => void): Promise<void> {
  const facts = gatherFacts(client, { ended }).then((facts) => tell({ kind: "facts", facts }));
  await facts.catch(orElse("trouble", tell));
  if (over?.kind !== "details" || over.name === null) return;
  const { name } = over;
  const details = gatherDetails(client, name, { ...lookAt(process.stdout), width });
  await details.then((lines) => tell({ kind: "details", name, lines }), orElse("refused", tell));
}

/** A look at many requests is work for the server and the link: it gets a tenth of the time. */
const LOOKS_SHARE = 10;
const MOST_PAUSE_MS = 5000;

/** Looks again and again, one look at a time; `now` does not wait for the next. */
function makeLooker(lookOnce: () => Promise<void>, everyMs: number, fail: (error: unknown) => void) {
  let timer = setTimeout(pass, everyMs);
  let isBusy = false;
  let again = false;
  let isOver = false;
  async function pass(): Promise<void> {
    again = isBusy;
    if (isBusy) return;
    isBusy = true;
    clearTimeout(timer);
    const begun = performance.now();
    await lookOnce().catch(fail);
    isBusy = false;
    if (isOver) return;
    const pauseMs = Math.max(everyMs, Math.min(LOOKS_SHARE * (performance.now() - begun), MOST_PAUSE_MS));
    timer = setTimeout(pass, again ? 0 : pauseMs);
  }
  return {
    now: () => void pass(),
    stop: () => {
      isOver = true;
      clearTimeout(timer);
    },
  };
}
