import { type Answer, type Asked, type Service, text } from "../http.ts";
import type { World } from "../world.ts";
import { errorAnswer } from "./errors.ts";
import { READ_ROUTES } from "./read.ts";
import { WRITE_ROUTES } from "./write.ts";

const common = {
  name: "dbs",
  admit,
  absent: text(404, "404 page not found\n"),
  failed: errorAnswer,
  headers: limits,
} as const;

/** Reader and writer have addresses of their own; the writer reads too. */
export const dbsReader: Service = { ...common, prefix: "/dbs/DBSReader", routes: READ_ROUTES };
export const dbsWriter: Service = { ...common, prefix: "/dbs/DBSWriter", routes: [...READ_ROUTES, ...WRITE_ROUTES] };

/** So many calls in each second; then 429 until the next one. */
function admit(world: World, { person }: Asked): Answer | null {
  if (person === null) return { status: 403 };
  const { dbsRate: rate, options } = world;
  const second = Math.floor(Date.now() / 1000);
  rate.calls = second === rate.second ? rate.calls + 1 : 1;
  rate.second = second;
  return rate.calls > options.dbsCallsPerSec ? text(429, "Limit exceeded") : null;
}

function limits({ dbsRate: { second, calls }, options }: World): Readonly<Record<string, string>> {
  return {
    "x-ratelimit-limit": String(options.dbsCallsPerSec),
    "x-ratelimit-remaining": String(Math.max(0, options.dbsCallsPerSec - calls)),
    "x-ratelimit-reset": String(second + 1),
  };
}
