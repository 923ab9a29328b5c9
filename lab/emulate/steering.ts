import { WorldError } from "../../src/core/base/errors.ts";
import { parseJson } from "../../src/core/base/json.ts";
import { type Answer, type Asked, certified, isRow, json, type Routes, type Row } from "./http.ts";
import { forget } from "./rucio/rules.ts";
import { plant } from "./seed.ts";
import type { World } from "./world.ts";

/** What no real service has: how tests and demos steer these, and look behind them. */
export const steering: Routes = {
  prefix: "/_emulate",
  routes: [
    ["GET", /^\/state$/, ({ journal }) => json(200, journal.state())],
    ["GET", /^\/calls$/, ({ calls }) => json(200, { counts: calls.counts(), calls: calls.list() })],
    ["GET", /^\/faults$/, ({ faults }) => json(200, faults.list())],
    ["POST", /^\/faults$/, addFaults],
    ["DELETE", /^\/faults$/, clearFaults],
    ["POST", /^\/outage$/, outage],
    ["POST", /^\/seed$/, addSeed],
    ["POST", /^\/remove$/, remove],
    ["POST", /^\/forget-rules$/, forgetRules],
  ],
  admit: certified,
  absent: json(404, { message: "see docs/guides/emulate.md for what can be asked here" }),
  failed: (_asked, error) => {
    if (error instanceof WorldError) return json(400, { message: error.message });
    throw error;
  },
};

function addFaults({ faults }: World, asked: Asked): Answer {
  faults.add([bodyOf(asked)].flat());
  return json(200, faults.list());
}
function clearFaults({ faults }: World): Answer {
  faults.clear();
  return json(200, []);
}
function outage({ faults }: World, asked: Asked): Answer {
  const { service = "all", seconds, on } = bodyOf(asked) as Row;
  const lasting = typeof seconds === "number" ? seconds : on === true ? FOREVER_SEC : 0;
  faults.outage(String(service), lasting);
  return json(200, { service, seconds: lasting });
}
function addSeed(world: World, asked: Asked): Answer {
  plant(world, bodyOf(asked));
  return json(200, {});
}
function remove({ journal }: World, asked: Asked): Answer {
  const { table, key } = bodyOf(asked) as Row;
  return json(200, { removed: journal.remove(String(table), String(key)) });
}
function forgetRules(world: World): Answer {
  forget(world, Number.MAX_SAFE_INTEGER);
  return json(200, {});
}

const FOREVER_SEC = 1e9;

function bodyOf(asked: Asked): unknown {
  const parsed = parseJson(asked.body.toString());
  if (parsed.ok && (isRow(parsed.value) || Array.isArray(parsed.value))) return parsed.value;
  throw new WorldError("bad-usage", "body", "the body must be a JSON object or a list of them");
}
