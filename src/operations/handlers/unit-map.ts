import { isDagOver } from "../../core/dag.ts";
import type { DagId, UnitName } from "../../core/names.ts";
import type { UnitStates } from "../../core/run.ts";
import type { Ports } from "../../loop/ports.ts";
import { isAttempt, parseLedger } from "../../recovery/ledger-record.ts";
import type { UnitMap, UnitPaint } from "./desk-port.ts";

/** Ledgers are files: of more units than these they are not read for a picture. */
const MOST_LEDGERS = 5000;
const NO_STATES = { names: [], states: "" };

/** Every unit of a run, and what each is painted by; null: no such run. */
export async function unitMap(ports: Ports, id: DagId, paints: ReadonlySet<UnitPaint>): Promise<UnitMap | null> {
  const { store, spool, clock } = ports;
  const dag = await store.dags.get(id);
  if (!dag) return null;
  const recorded = await store.units.finishedNames(dag.workflowId);
  const seen = (await spool.unitStates(dag.submitDir)) ?? (await fromRows(ports, id));
  const { names } = seen;
  const states = asRecorded(seen, recorded, isDagOver(dag.status));
  if ([...paints].every((paint) => paint === "states")) return { dagId: id, names, states, ledgersRead: 0 };
  const ends = await store.desk.unitEnds(dag.workflowId);
  const facts = names.map((name): Facts => {
    const end = ends.get(name as UnitName);
    return { site: end?.site ?? null, code: null, tries: null, at: end?.finishedAt ?? null };
  });
  const open = names.flatMap((name, at) => (ends.has(name as UnitName) && !paints.has("tries") ? [] : [{ name, at }]));
  const wanted = open.filter(({ at }) => states[at] !== "w").slice(0, MOST_LEDGERS);
  await readLedgers(ports, dag.submitDir, wanted, facts);
  const now = clock.now().getTime();
  return {
    dagId: id,
    names,
    states,
    ledgersRead: wanted.length,
    ...(paints.has("sites") && { sites: legendOf(facts.map(({ site }) => site ?? "")) }),
    ...(paints.has("codes") && { codes: legendOf(facts.map(({ code }) => (code === null ? "" : String(code)))) }),
    ...(paints.has("tries") && { tries: facts.map(({ tries }) => tries ?? 0) }),
    ...(paints.has("ages") && {
      ages: facts.map(({ at }) => (at === null ? -1 : Math.max(0, Math.round((now - at.getTime()) / 1000)))),
    }),
  };
}

/** Done is what all counts call done; what the engine alone calls so is being recorded, or runs again later. */
const asRecorded = ({ names, states }: UnitStates, recorded: ReadonlySet<string>, isOver: boolean): string =>
  names
    .map((name, at) => {
      if (recorded.has(name)) return "d";
      const letter = states[at] ?? "w";
      return letter === "d" || letter === "r" ? (isOver ? "w" : "r") : letter;
    })
    .join("");

interface Facts {
  site: string | null;
  code: number | null;
  tries: number | null;
  at: Date | null;
}

/** What the last attempts of a unit say, where no row does. */
async function readLedgers(
  { spool }: Ports,
  submitDir: string,
  units: readonly { readonly name: string; readonly at: number }[],
  facts: readonly Facts[],
): Promise<void> {
  const places = new Map(units.map(({ name, at }) => [name, at]));
  for await (const { unit, text } of spool.ledgers(submitDir, places.keys())) {
    const attempts = parseLedger(text ?? "").lines.filter(isAttempt);
    const last = attempts.at(-1);
    const fact = facts[places.get(unit) ?? -1];
    if (!last || !fact) continue;
    const failed = attempts.findLast(({ decision }) => decision !== "done");
    fact.tries = attempts.length;
    fact.site ??= last.site;
    fact.code = failed?.exitCode ?? 0;
    const at = new Date(last.endedAt ?? last.at);
    if (fact.at === null && !Number.isNaN(at.getTime())) fact.at = at;
  }
}

/** Its directory is no more: what finished is known. */
async function fromRows({ store }: Ports, id: DagId) {
  const dag = await store.dags.get(id);
  if (!dag) return NO_STATES;
  const rows = (await store.units.list(dag.workflowId)).filter(({ round }) => round === dag.round);
  return { names: rows.map(({ name }) => name as string), states: "d".repeat(rows.length) };
}

/** Each value once, and for each unit which of them it has. */
function legendOf(values: readonly string[]) {
  const places = new Map<string, number>();
  const of = values.map((value) => {
    const known = places.get(value);
    if (known !== undefined) return known;
    places.set(value, places.size);
    return places.size - 1;
  });
  return { legend: [...places.keys()], of };
}
