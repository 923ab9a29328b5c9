import { emitKeypressEvents } from "node:readline";
import { onSignals } from "../terminal.ts";

/** Keys by their name ("up", "enter", "ctrl-c") or as the sign they are; and when all is to be drawn again. A terminal that goes away, and a signal to end, are as good as ctrl-c. */
export function listen(
  stdin: NodeJS.ReadStream,
  stdout: NodeJS.WriteStream,
  on: { key(key: string): void; redraw(): void },
): () => void {
  const onKey = (text: string | undefined, { name, ctrl }: { name?: string; ctrl?: boolean }) => {
    if (ctrl && name) on.key(`ctrl-${name}`);
    else if (text !== undefined && /^[^\p{Cc}]$/u.test(text)) on.key(text);
    else if (name) on.key(name === "return" ? "enter" : name);
  };
  const end = () => on.key("ctrl-c");
  // So long an escape is waited for to become an arrow.
  emitKeypressEvents(stdin, { escapeCodeTimeout: 100 } as never);
  stdin.on("keypress", onKey).on("end", end).on("error", end).resume();
  stdout.on("resize", on.redraw);
  process.on("SIGCONT", on.redraw);
  const forgetSignals = onSignals(end);
  return () => {
    stdin.off("keypress", onKey).off("end", end).off("error", end).pause();
    stdout.off("resize", on.redraw);
    process.off("SIGCONT", on.redraw);
    forgetSignals();
  };
}
