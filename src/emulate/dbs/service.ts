import { type Answer, type Asked, type Service, text } from "../http.ts";
import type { World } from "../world.ts";
import { errorAnswer } from "./errors.ts";
import { readRoutes } from "./read.ts";
import { writeRoutes } from "./write.ts";

/** Reader and writer have addresses of their own; the writer reads too. */
export function dbsServices(world: World): Service[] {
  const limit = new RateLimit(world.options.dbsCallsPerSec);
  const common = {
    name: "dbs",
    admit: (asked: Asked) => limit.admit(asked),
    absent,
    failed: errorAnswer,
    headers: () => limit.headers,
  } as const;
  return [
    { ...common, prefix: "/dbs/DBSReader", routes: readRoutes(world) },
    { ...common, prefix: "/dbs/DBSWriter", routes: [...readRoutes(world), ...writeRoutes(world)] },
  ];
}

const absent = (): Answer => text(404, "404 page not found\n");

/** So many calls in each second; then 429 until the next one. */
class RateLimit {
  readonly #perSec: number;
  #second = 0;
  #calls = 0;
  /** On every answer. */
  headers: Readonly<Record<string, string>> = {};

  constructor(perSec: number) {
    this.#perSec = perSec;
  }

  admit(asked: Asked): Answer | null {
    if (asked.person === null) return { status: 403 };
    const second = Math.floor(Date.now() / 1000);
    if (second !== this.#second) this.#calls = 0;
    this.#second = second;
    this.#calls += 1;
    const left = this.#perSec - this.#calls;
    const headers = {
      "x-ratelimit-limit": String(this.#perSec),
      "x-ratelimit-remaining": String(Math.max(0, left)),
      "x-ratelimit-reset": String(second + 1),
    };
    this.headers = headers;
    return left < 0 ? text(429, "Limit exceeded", headers) : null;
  }
}
