import { type ReactNode, useMemo, useState } from "react";
import { Link, useLocation } from "wouter";
import type { UnitMapView } from "../../src/operations/dags.ts";
import type { Answer } from "../api/client.ts";
import { useAnswer } from "../api/queries.ts";
import { AsText } from "../as-text.tsx";
import { unitHref } from "../job-links.ts";
import { Problem } from "../problem.tsx";
import { requestHref } from "../request-status.tsx";
import { Empty, Loading } from "../ui/banner.tsx";
import { Tabs } from "../ui/tabs.tsx";
import { useNames, useUrlState } from "../url-state.ts";
import { count, quoted } from "../words.ts";
import { Chosen } from "./units/chosen.tsx";
import { KEYS, type Key, keyed, nameAt, stateWord } from "./units/keys.ts";
import { UnitMap } from "./units/map.tsx";
import { isDarkPixel, pixel } from "./units/paint.ts";

/** Which part is sick: the whole round as a map, painted by any fact; what is selected can be run again. */
export function UnitsPage(): ReactNode {
  const { name = "" } = useNames();
  const url = useUrlState();
  const by = KEYS.find(([key]) => key === url.get("by"))?.[0] ?? "states";
  const request = useAnswer("requests.show", { name });
  const id = request.data?.workflow?.dag_id ?? null;
  const map = useAnswer("dags.map", { id: id ?? "", as: by }, { enabled: id !== null, keep: true });
  const error = request.error ?? map.error;
  return (
    <>
      <div className="title">
        <h1>
          Work units of <Link href={requestHref(name)}>{name}</Link>
        </h1>
        {request.data?.workflow && <span className="quiet">round {request.data.workflow.round}</span>}
        <div className="end">
          {id && <AsText cli={`wms2 nodes ${quoted(name)}`} operation="dags.map" input={{ id, as: by }} />}
        </div>
      </div>
      {error && <Problem error={error} />}
      {request.data && !id && (
        <Empty title="Nothing was planned yet">
          <p>Its work units appear here with its first round.</p>
        </Empty>
      )}
      <Tabs<Key>
        label="Paint by"
        value={by}
        options={KEYS}
        onChange={(key) => url.set("by", key === "states" ? null : key)}
      />
      {id && !map.data && !error && <Loading what="the units" />}
      {request.data && map.data && <Shown request={request.data} map={map.data} by={by} />}
    </>
  );
}

function Shown({ request, map, by }: { request: Answer<"requests.show">; map: UnitMapView; by: Key }): ReactNode {
  const [, go] = useLocation();
  const [chosen, setChosen] = useState<ReadonlySet<number>>(new Set());
  const { colours, places, legend } = useMemo(() => keyed(map, by), [map, by]);
  const choose = (found: readonly number[], how: "only" | "toggle") => {
    const next = new Set(how === "only" ? [] : chosen);
    for (const unit of found) if (!next.delete(unit)) next.add(unit);
    setChosen(next);
  };
  const tell = (index: number): string => {
    const fact = by === "states" ? null : legend[places[index] ?? 0];
    return `${nameAt(map.runs, index)}: ${stateWord(map.states[index] ?? "")}${fact ? `, ${fact.label}` : ""}`;
  };
  const label = `${count(map.total, "work unit")}: ${legend.map((entry) => `${entry.count} ${entry.label}`).join(", ")}.`;
  return (
    <>
      <section className="panel">
        <div className="body commands">
          <ul className="legend live" aria-label="What the colours mean; press one to select its units">
            {legend.map((entry) => (
              <li key={entry.label}>
                <button type="button" className="plain" onClick={() => setChosen(new Set(entry.units))}>
                  <span
                    className="letter"
                    style={{ background: entry.colour, color: isDarkPixel(pixel(entry.colour)) ? "#fff" : "#17191a" }}
                    aria-hidden="true"
                  >
                    {entry.sign}
                  </span>
                  {entry.label} <b className="number">{entry.count.toLocaleString("en")}</b>
                </button>
              </li>
            ))}
          </ul>
          <UnitMap
            label={label}
            colours={colours}
            signOf={(index) => legend[places[index] ?? 0]?.sign ?? ""}
            chosen={chosen}
            onChoose={choose}
            onOpen={(index) => go(unitHref(request.request_name, nameAt(map.runs, index)))}
            tell={tell}
          />
          {by !== "states" && map.ledgers_read < map.total && (
            <p className="quiet">
              The ledgers of {map.ledgers_read.toLocaleString("en")} units were read; the others are grey.
            </p>
          )}
        </div>
      </section>
      {chosen.size > 0 && (
        <Chosen
          request={request}
          units={[...chosen].map((index) => nameAt(map.runs, index))}
          onClear={() => setChosen(new Set())}
        />
      )}
    </>
  );
}
