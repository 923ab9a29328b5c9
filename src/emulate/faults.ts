import { WorldError } from "../base/errors.ts";
import { chance } from "../simulate/chance.ts";
import { EMULATED, type EmulatedName, isRow } from "./http.ts";

export const FAULTS = [
  "refuse", // the connection is cut before anything is read
  "delay", // delay_ms later
  "half", // half an answer, then the connection is cut
  "truncate", // half an answer that ends as if it were whole
  "status", // this status and nothing done; 503 unless said
  "expired-token", // the token of this call has just run out
  "duplicate", // the call is carried out twice; the second answer arrives
  "lost-reply", // the call is carried out, then the connection is cut
] as const;

export interface Fault {
  readonly do: (typeof FAULTS)[number];
  /** Any when not given; likewise the method and the path (a regular expression on the decoded path and query). */
  readonly service?: EmulatedName;
  readonly method?: string;
  readonly path?: string;
  /** How often it strikes; once unless a probability is given. */
  readonly times?: number;
  /** How many calls it lets pass first. */
  readonly after?: number;
  readonly probability?: number;
  readonly seed?: number;
  readonly delay_ms?: number;
  readonly status?: number;
}

/** Which calls fail, and how: a list in the order given, the first that fits strikes. */
export class Faults {
  #rules: { readonly fault: Fault; readonly path: RegExp; seen: number; struck: number }[] = [];
  readonly #outages = new Map<EmulatedName, number>();

  add(faults: readonly unknown[]): void {
    this.#rules.push(...faults.map(readFault).map((fault) => ruleOf(fault)));
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
    const names = EMULATED.filter((name) => service === "all" || (WITH[name] ?? name) === service || name === service);
    if (names.length === 0) throw bad(`there is no service "${service}": all, ${EMULATED.join(", ")}`);
    for (const name of names) this.#outages.set(name, Date.now() + seconds * 1000);
  }
  isOut(service: EmulatedName): boolean {
    return (this.#outages.get(service) ?? 0) > Date.now();
  }

  strike(service: EmulatedName, method: string, path: string): Fault | null {
    for (const rule of this.#rules) {
      const { fault } = rule;
      if (fault.service && fault.service !== service) continue;
      if ((fault.method && fault.method !== method) || !rule.path.test(path)) continue;
      const times = fault.times ?? (fault.probability === undefined ? 1 : Number.POSITIVE_INFINITY);
      if (rule.struck >= times) continue;
      rule.seen += 1;
      if (rule.seen <= (fault.after ?? 0)) continue;
      if (chance(fault.seed ?? 1, rule.seen) >= (fault.probability ?? 1)) continue;
      rule.struck += 1;
      return fault;
    }
    return null;
  }
}

const WITH: Partial<Record<EmulatedName, EmulatedName>> = { "rucio-auth": "rucio", couchdb: "reqmgr2" };
const ruleOf = (fault: Fault) => ({ fault, path: new RegExp(fault.path ?? ""), seen: 0, struck: 0 });
const bad = (message: string): WorldError =>
  new WorldError("bad-usage", "fault", message, { hint: "see docs/guides/emulate.md" });

const KINDS: Readonly<Record<string, "string" | "number">> = {
  service: "string",
  method: "string",
  path: "string",
  times: "number",
  after: "number",
  probability: "number",
  seed: "number",
  delay_ms: "number",
  status: "number",
  do: "string",
};

function readFault(value: unknown): Fault {
  if (!isRow(value)) throw bad("a fault must be a map such as {service: rucio, do: status, status: 503}");
  for (const [key, item] of Object.entries(value)) {
    if (!Object.hasOwn(KINDS, key)) throw bad(`a fault has no "${key}": ${Object.keys(KINDS).join(", ")}`);
    if (typeof item !== KINDS[key]) throw bad(`"${key}" of a fault must be a ${KINDS[key]}`);
  }
  const fault = value as unknown as Fault;
  if (!FAULTS.includes(fault.do)) throw bad(`"do" of a fault must be one of ${FAULTS.join(", ")}`);
  if (fault.service && !EMULATED.includes(fault.service))
    throw bad(`"service" of a fault must be one of ${EMULATED.join(", ")}`);
  return fault;
}
