import { z } from "zod";
import { WorldError } from "../../src/core/base/errors.ts";
import { chance } from "../simulate/chance.ts";
import { EMULATED, type EmulatedName } from "./http.ts";

const KINDS = [
  "refuse", // the connection breaks before anything is read
  "delay", // delay_ms later
  "half", // half an answer, then the connection breaks
  "truncate", // half an answer that ends as if it were whole
  "status", // this status and nothing done; 503 unless said
  "expired-token", // the token of this call has just run out
  "duplicate", // the call is carried out twice; the second answer arrives
  "lost-reply", // the call is carried out, then the connection breaks
] as const;

const whole = z.int().min(0);
const schema = z.strictObject({
  do: z.enum(KINDS),
  /** Any when not given; likewise the method and the path (a regular expression on the decoded path and query). */
  service: z.enum(EMULATED).optional(),
  method: z.string().optional(),
  path: z.string().optional(),
  /** How often it strikes; once unless a probability is given. */
  times: whole.optional(),
  /** How many calls it lets pass first. */
  after: whole.optional(),
  probability: z.number().min(0).max(1).optional(),
  seed: whole.optional(),
  delay_ms: whole.optional(),
  status: whole.optional(),
});
export type Fault = z.infer<typeof schema>;

const OUT: Fault = { do: "refuse" };

/** Which calls fail, and how: a list in the order given, the first that fits strikes. */
export class Faults {
  #rules: { readonly fault: Fault; readonly path: RegExp; seen: number; struck: number }[] = [];
  readonly #outages = new Map<EmulatedName, number>();

  add(faults: readonly unknown[]): void {
    for (const value of faults) {
      const parsed = schema.safeParse(value);
      if (!parsed.success) throw bad(z.prettifyError(parsed.error));
      this.#rules.push({ fault: parsed.data, path: new RegExp(parsed.data.path ?? ""), seen: 0, struck: 0 });
    }
  }
  clear(): void {
    this.#rules = [];
    this.#outages.clear();
  }
  list(): readonly (Fault & { readonly struck: number })[] {
    return this.#rules.map(({ fault, struck }) => ({ ...fault, struck }));
  }
  /** Nobody answers for so long; 0 ends it. "rucio" includes its authentication host, "reqmgr2" its configurations. */
  outage(service: string, seconds: number): void {
    const names = EMULATED.filter((name) => service === "all" || WITH[name] === service || name === service);
    if (names.length === 0) throw bad(`there is no service "${service}": all, ${EMULATED.join(", ")}`);
    for (const name of names) this.#outages.set(name, Date.now() + seconds * 1000);
  }

  strike(service: EmulatedName, method: string, path: string): Fault | null {
    if ((this.#outages.get(service) ?? 0) > Date.now()) return OUT;
    for (const rule of this.#rules) {
      const { fault } = rule;
      if ((fault.service ?? service) !== service || (fault.method ?? method) !== method) continue;
      const times = fault.times ?? (fault.probability === undefined ? 1 : Number.POSITIVE_INFINITY);
      if (rule.struck >= times || !rule.path.test(path)) continue;
      rule.seen += 1;
      const spared = rule.seen <= (fault.after ?? 0) || chance(fault.seed ?? 1, rule.seen) >= (fault.probability ?? 1);
      if (spared) continue;
      rule.struck += 1;
      return fault;
    }
    return null;
  }
}

const WITH: Partial<Record<EmulatedName, EmulatedName>> = { "rucio-auth": "rucio", couchdb: "reqmgr2" };
const bad = (message: string): WorldError =>
  new WorldError("bad-usage", "fault", `not a fault: ${message}`, { hint: "see docs/guides/emulate.md" });
