import type { Answer, Asked, Service } from "../http.ts";
import type { World } from "../world.ts";
import { DID_ROUTES } from "./dids.ts";
import { rsesOf } from "./expression.ts";
import { findRse } from "./files.ts";
import { limitOf, usedBytes } from "./new-rule.ts";
import { REPLICA_ROUTES } from "./replicas.ts";
import { RULE_ROUTES } from "./rules.ts";
import { accountOf, errorAnswer, object, RucioError, stream } from "./talk.ts";

/** Everything but tokens. A token is enough here; a certificate is not asked for. */
export const rucio: Service = {
  name: "rucio",
  prefix: "/rucio",
  routes: [
    ["GET", /^\/ping$/, (_world, asked) => object(asked, { version: "41.0.0rc1" })],
    ...DID_ROUTES,
    ...REPLICA_ROUTES,
    ...RULE_ROUTES,
    ["GET", /^\/rses\/$/, listRses],
    ["GET", /^\/rses\/([^/]+)\/attr\/?$/, showAttributes],
    ["GET", /^\/rses\/([^/]+)$/, showRse],
    ["GET", /^\/accounts\/([^/]+)\/limits\/local\/?$/, showLimits],
    ["GET", /^\/accounts\/([^/]+)\/usage\/local\/([^/]+)$/, showUsage],
  ],
  admit: (world, asked) => {
    if (asked.path !== "/ping") accountOf(world, asked);
    return null;
  },
  failed: errorAnswer,
};

function listRses(world: World, asked: Asked): Answer {
  const expression = asked.query.get("expression") ?? "*";
  const found = rsesOf(world, expression) ?? [];
  if (found.length > 0)
    return stream(
      asked,
      found.map(({ rse }) => ({ rse })),
    );
  throw new RucioError(400, "InvalidRSEExpression", `RSE Expression resulted in an empty set: ${expression}`);
}
function showAttributes(world: World, asked: Asked, name: string): Answer {
  const { rse_type, attributes } = findRse(world, name);
  return object(asked, { ...attributes, rse_type, [name]: true });
}
function showRse(world: World, asked: Asked, name: string): Answer {
  const { rse, rse_type, availability_write } = findRse(world, name);
  const available = { availability_read: true, availability_write, availability_delete: true };
  return object(asked, { rse, rse_type, ...available, deterministic: true, protocols: [] });
}
function showLimits(world: World, asked: Asked, account: string): Answer {
  const limits = world.rses.values().map(({ rse }) => [rse, limitOf(world, account, rse)] as const);
  return object(asked, Object.fromEntries(limits.filter(([, limit]) => limit >= 0)));
}
function showUsage(world: World, asked: Asked, account: string, rse: string): Answer {
  const [bytes, limit] = [usedBytes(world, account, rse), Math.max(0, limitOf(world, account, rse))];
  return stream(asked, [{ rse, bytes, files: 0, bytes_limit: limit, bytes_remaining: limit - bytes }]);
}
