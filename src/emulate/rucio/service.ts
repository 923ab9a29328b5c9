import type { Answer, Asked, Route, Service } from "../http.ts";
import type { World } from "../world.ts";
import { didRoutes } from "./dids.ts";
import { rsesOf } from "./expression.ts";
import { findRse } from "./files.ts";
import { limitOf, usedBytes } from "./new-rule.ts";
import { replicaRoutes } from "./replicas.ts";
import { ruleRoutes } from "./rules.ts";
import { accountOf, errorAnswer, object, RucioError, stream } from "./talk.ts";

/** Everything but tokens. A token is enough here; a certificate is not asked for. */
export const rucio = (world: World): Service => ({
  name: "rucio",
  prefix: "/rucio",
  routes: [
    ["GET", /^\/ping$/, (asked) => object(asked, { version: "41.0.0rc1" })],
    ...didRoutes(world),
    ...replicaRoutes(world),
    ...ruleRoutes(world),
    ...rseRoutes(world),
  ],
  admit: (asked) => {
    if (asked.path !== "/ping") accountOf(world, asked);
    return null;
  },
  absent: () => ({ status: 404 }),
  failed: errorAnswer,
});

function rseRoutes(world: World): Route[] {
  return [
    ["GET", /^\/rses\/$/, (asked) => list(world, asked)],
    [
      "GET",
      /^\/rses\/([^/]+)\/attr\/?$/,
      (asked, name) => {
        const { rse_type, attributes } = findRse(world, name!);
        return object(asked, { ...attributes, rse_type, [name!]: true });
      },
    ],
    [
      "GET",
      /^\/rses\/([^/]+)$/,
      (asked, name) => {
        const { rse, rse_type, availability_write } = findRse(world, name!);
        const protocols =
          rse_type === "DISK" ? [{ scheme: "davs", hostname: "storage.example", port: 443, prefix: "/" }] : [];
        const available = { availability_read: true, availability_write, availability_delete: true };
        return object(asked, { rse, rse_type, ...available, deterministic: true, protocols });
      },
    ],
    [
      "GET",
      /^\/accounts\/([^/]+)\/limits\/local\/?$/,
      (asked, account) => {
        const names = world.rses
          .values()
          .map(({ rse }) => rse)
          .filter((rse) => limitOf(world, account!, rse) >= 0);
        return object(asked, Object.fromEntries(names.map((rse) => [rse, limitOf(world, account!, rse)])));
      },
    ],
    [
      "GET",
      /^\/accounts\/([^/]+)\/usage\/local\/([^/]+)$/,
      (asked, account, rse) => {
        const [bytes, limit] = [usedBytes(world, account!, rse!), Math.max(0, limitOf(world, account!, rse!))];
        return stream(asked, [{ rse, bytes, files: 0, bytes_limit: limit, bytes_remaining: limit - bytes }]);
      },
    ],
  ];
}

function list(world: World, asked: Asked): Answer {
  const expression = asked.query.get("expression");
  const found = expression === null ? world.rses.values() : rsesOf(world, expression);
  if (!found || found.length === 0)
    throw new RucioError(400, "InvalidRSEExpression", `RSE Expression resulted in an empty set: ${expression}`);
  return stream(
    asked,
    found.map(({ rse }) => ({ rse })),
  );
}
