import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { expect, test } from "vitest";
import { rooms } from "../scripts/rooms.mjs";

const PAGE = readFileSync(resolve(import.meta.dirname, "../docs/architecture.md"), "utf8");
const written = new Map(
  [...PAGE.matchAll(/^\| \[?`([a-z-]+)\/`[^|]*\| ([\d,]+) \|/gm)].map(([, room = "", lines = ""]) => [
    room,
    Number(lines.replaceAll(",", "")),
  ]),
);
const found: Record<string, number> = rooms().rooms;

test.each(Object.keys(found).filter((room) => room !== "main"))(
  "docs/architecture.md knows the room %s and its size",
  (room) => {
    const lines = found[room] ?? 0;
    const said = written.get(room) ?? 0;
    expect(Math.abs(said - lines), `${room} has ${lines} lines, the page says ${said}`).toBeLessThan(
      Math.max(200, lines * 0.1),
    );
  },
);

test("it knows no other room", () => {
  expect([...written.keys()].filter((room) => found[room] === undefined)).toEqual([]);
});
