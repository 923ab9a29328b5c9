import type { Problem } from "../../core/problem.ts";
import type { Look } from "../terminal.ts";
import { padEnd, wrap } from "./text.ts";

/** Every problem on its own, path first, and below it what would be right. */
export function problemList(problems: readonly Problem[], { width, paint }: Look): string {
  const paths = problems.map(({ path }) => path || "(document)");
  const column = Math.min(32, Math.max(0, ...paths.map((path) => path.length)));
  const room = Math.max(30, width - column - 4);
  const lines = problems.flatMap(({ message, allowed }, at) => {
    const path = paths[at] ?? "";
    const text = [
      ...wrap(message, room),
      ...(allowed === null ? [] : wrap(`allowed: ${allowed}`, room).map((line) => paint.dim(line))),
    ];
    const head = path.length > column ? [`  ${paint.bold(path)}`] : [];
    const body = text.map((line, row) => {
      const label = row === 0 && head.length === 0 ? paint.bold(path) : "";
      return `  ${padEnd(label, column)}  ${line}`;
    });
    return [...head, ...body];
  });
  return lines.join("\n");
}
