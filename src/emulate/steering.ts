import { WorldError } from "../base/errors.ts";
import { parseJson } from "../base/json.ts";
import type { Calls } from "./calls.ts";
import type { Faults } from "./faults.ts";
import { type Asked, isRow, json, type Routes, type Row } from "./http.ts";
import { forget } from "./rucio/rules.ts";
import { plant } from "./seed.ts";
import type { World } from "./world.ts";

/** What no real service has: how tests and demos steer these, and look behind them. */
export const steering = (world: World, faults: Faults, calls: Calls): Routes => ({
  prefix: "/_emulate",
  routes: [
    ["GET", /^\/state$/, () => json(200, world.journal.state())],
    ["GET", /^\/calls$/, () => json(200, { counts: calls.counts(), calls: calls.list() })],
    ["GET", /^\/faults$/, () => json(200, faults.list())],
    [
      "POST",
      /^\/faults$/,
      (asked) => {
        faults.add([bodyOf(asked)].flat());
        return json(200, faults.list());
      },
    ],
    [
      "DELETE",
      /^\/faults$/,
      () => {
        faults.clear();
        return json(200, []);
      },
    ],
    [
      "POST",
      /^\/outage$/,
      (asked) => {
        const body = bodyOf(asked) as Row;
        const seconds = typeof body.seconds === "number" ? body.seconds : body.on === true ? FOREVER_SEC : 0;
        faults.outage(String(body.service ?? "all"), seconds);
        return json(200, { service: body.service ?? "all", seconds });
      },
    ],
    [
      "POST",
      /^\/seed$/,
      (asked) => {
        plant(world, bodyOf(asked));
        return json(200, {});
      },
    ],
    [
      "POST",
      /^\/remove$/,
      (asked) => {
        const { table, key } = bodyOf(asked) as Row;
        return json(200, { removed: world.journal.remove(String(table), String(key)) });
      },
    ],
    [
      "POST",
      /^\/forget-rules$/,
      () => {
        forget(world, Number.MAX_SAFE_INTEGER);
        return json(200, {});
      },
    ],
  ],
  admit: ({ person }) => (person === null ? { status: 403 } : null),
  absent: () => json(404, { message: "see docs/guides/emulate.md for what can be asked here" }),
  failed: (_asked, error) => {
    if (error instanceof WorldError) return json(400, { message: error.message });
    throw error;
  },
});

const FOREVER_SEC = 1e9;

function bodyOf(asked: Asked): unknown {
  const parsed = parseJson(asked.body.toString());
  if (parsed.ok && (isRow(parsed.value) || Array.isArray(parsed.value))) return parsed.value;
  throw new WorldError("bad-usage", "body", "the body must be a JSON object or a list of them");
}
