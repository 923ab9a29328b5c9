import { WorldError } from "../core/base/errors.ts";
import { command } from "./command.ts";
import { lookAt } from "./terminal.ts";
import { gatherFacts } from "./top/ask.ts";
import { wholeFrame } from "./top/frame.ts";
import { runTop } from "./top/run-top.ts";
import { firstState } from "./top/state.ts";

export const addTop = command("top", {
  about: "the operator's desk: requests, causes, alerts and queue, live, with actions and their previews",
  options: {
    "--interval <seconds>": { about: "time between looks", fallback: "1" },
    "--json": "refused: programs ask wms2 list --json, or the API",
  },
  examples: ["wms2 top", "wms2 top --interval 5      over a slow link", "wms2 top | cat              once, as text"],
  more: "Press ? for the keys. Without a terminal it prints everything once.",
  async run({ client, options }) {
    if (options.json)
      throw new WorldError("bad-usage", "--json", "top is for people", {
        hint: `programs ask wms2 list --json, or GET ${client.url}/api/v1/requests`,
      });
    const { stdin, stdout } = process;
    if (stdin.isTTY && stdout.isTTY && process.env.TERM !== "dumb") {
      await runTop(client, stdin, stdout, Math.max(200, Number(options.interval) * 1000 || 1000));
      return;
    }
    const state = { ...firstState({ width: 80, height: 24 }), facts: await gatherFacts(client, { ended: false }) };
    return { json: null, page: () => wholeFrame(state, client.url, lookAt(stdout)).join("\n") };
  },
});
