import type { UnclassifiedView } from "../../operations/attempts.ts";
import type { Look } from "../terminal.ts";
import { cut, stamp } from "./text.ts";

const TAIL_LINES = 8;

/** Failures no rule knows, each with the end of what it wrote. */
export function unclassifiedPage(items: UnclassifiedView["items"], { width, paint }: Look): string {
  return items
    .map((item) => {
      const where = item.site ? ` at ${item.site}` : "";
      const what = item.cause === null || item.cause === "exit" ? `exit ${item.exit_code}` : item.cause;
      const said = item.classified
        ? `${item.classified.action} by ${item.classified.actor}: ${item.classified.reason}`
        : null;
      return [
        `${paint.bold(item.job ?? `${item.unit}/${item.node}`)}  ${what}${where}  ${stamp(item.at)}`,
        ...(said === null ? [] : [`  classified ${said}`]),
        ...tail(item.stderr_tail).map((line) => paint.dim(`  | ${line}`)),
      ];
    })
    .map((lines) => lines.map((line) => cut(line, width)).join("\n"))
    .join("\n\n");
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: what a job wrote must not move the cursor
const CONTROLS = /\u001b\[[0-9;?]*[A-Za-z]|[\u0000-\u0008\u000b-\u001f\u007f-\u009f]+/g;
const tail = (text: string): string[] =>
  text
    .split("\n")
    .map((line) => line.replaceAll(CONTROLS, "").trimEnd())
    .filter((line) => line !== "")
    .slice(-TAIL_LINES);
