import { WorldError } from "../../core/base/errors.ts";
import { follow } from "../follow.ts";
import { talk } from "../terminal.ts";
import type { RunServer } from "./server.ts";
import { stopOnSignal } from "./stop.ts";

/** The first Ctrl-C stops in order; the second one leaves at once. */
export const abortable = stopOnSignal;

const HELD_WITHIN_MS = 30_000;

/** After Ctrl-C: on a server of somebody else it goes on; on our own it is held, since nobody would look after it. */
export async function leave(server: RunServer, name: string, again: string): Promise<void> {
  if (!server.isOwn) {
    talk(`left; ${name} goes on\n  watch it:  wms2 watch ${name}\n  stop it:   wms2 hold ${name} --reason …`);
    return;
  }
  talk("stopping its jobs …; once more leaves at once");
  const isHeld = await hold(server, name);
  talk(`${isHeld ? "stopped" : "left, not all of its jobs have ended"}; go on with: ${again}`);
}

async function hold({ client }: RunServer, name: string): Promise<boolean> {
  try {
    await client.actions.hold({ name, reason: "wms2 run was interrupted" });
  } catch (error) {
    // It has ended in the same moment.
    if (!(error instanceof WorldError) || error.code !== "conflict") throw error;
  }
  const quiet = { update() {}, close() {} };
  const signal = AbortSignal.timeout(HELD_WITHIN_MS);
  await follow(client, [name], quiet, { everyMs: 100, signal });
  return !signal.aborted;
}
