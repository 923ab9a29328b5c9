import type { BlockView, OutputSumsView } from "../../../src/operations/blocks.ts";
import type { Tone } from "../../ui/badge.tsx";
import { bytes, count } from "../../words.ts";

export const BLOCK_LOOK: Readonly<Record<BlockView["status"], readonly [Tone, string, string]>> = {
  open: ["running", "O", "open: steps remain"],
  done: ["done", "✓", "done: closed, all steps are taken"],
  failed: ["failed", "F", "failed: waits for a person"],
  withdrawing: ["retrying", "↻", "is being withdrawn"],
  merged: ["waiting", "M", "merged"],
  withdrawn: ["waiting", "W", "withdrawn"],
};

/** Of a block: its work units by what became of their files. */
export const unitsText = ({ units }: Pick<BlockView, "units">): string =>
  Object.entries(units)
    .filter(([, number]) => number > 0)
    .map(([state, number]) => `${number.toLocaleString("en")} ${state === "owed" ? "waiting" : state}`)
    .join(", ") || "no unit yet";

interface Sum {
  readonly tone: Tone;
  readonly text: string;
  /** Since when the oldest waits. */
  readonly since: string | null;
}

/** How far the outputs are known outside: all blocks in one sentence. */
export function blocksSentence({ blocks, files, bytes: size, by_status: of, owed_since: since }: OutputSumsView): Sum {
  if (blocks === 0)
    return {
      tone: "waiting",
      text: "No block yet: the first comes with the first work unit that finishes.",
      since: null,
    };
  const what = `${count(files, "file")} (${bytes(size)}) in ${count(blocks, "block")}`;
  const { failed = 0, open = 0, withdrawn = 0, withdrawing = 0 } = of;
  if (failed > 0)
    return { tone: "failed", text: `${what}; ${count(failed, "block")} failed and wait for a person.`, since };
  if (open > 0) return { tone: "running", text: `${what}; ${count(open, "block")} open.`, since };
  const gone = withdrawn + withdrawing;
  if (gone > 0) return { tone: "waiting", text: `${what}; ${count(gone, "block")} withdrawn.`, since: null };
  return { tone: "done", text: `${what}, all registered in the catalog and closed.`, since: null };
}
