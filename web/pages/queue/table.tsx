import { type ReactNode, useEffect, useRef, useState } from "react";
import type { Answer } from "../../api/client.ts";
import { useDrag } from "../../ui/drag.ts";
import { TableHead } from "../../ui/table-head.tsx";
import { count } from "../../words.ts";
import { movesBetween, priorityFor, type WhatIf, withPriority } from "./order.ts";
import { QueueRow } from "./row.tsx";
import { SetPriorities } from "./set-priorities.tsx";

const SHOWN = 200;

interface TableProps {
  readonly now: Answer<"admission.queue">;
  readonly then: Answer<"admission.queue">;
  readonly whatIf: WhatIf;
  readonly onChange: (whatIf: WhatIf) => void;
}

/** The queue as it would be, moved by pointer or keyboard; nothing is so before it is set. */
export function QueueTable({ now, then, whatIf, onChange }: TableProps): ReactNode {
  const [isSetting, setSetting] = useState(false);
  const [told, setTold] = useState("");
  const focus = useFocusAfterMove(then);
  const change = (name: string, priority: number) => {
    setTold("");
    onChange(withPriority(whatIf, now.entries, name, priority));
  };
  const move = (name: string, place: number) => {
    const found = priorityFor(then.entries, name, place);
    if ("whyNot" in found) return setTold(`${name} stays: ${found.whyNot}.`);
    focus(name);
    change(name, found.priority);
  };
  const placeOf = (name: string) => then.entries.find((entry) => entry.request_name === name)?.place ?? 1;
  const { drag, handleOf } = useDrag((name, over) => move(name, placeOf(over)));
  const before = new Map(now.entries.map((entry) => [entry.request_name, entry]));
  const { chosen, others } = movesBetween(now.entries, then.entries);
  const sentence = chosen.map(({ name, place, priority }) => `${name} would be number ${place[1]} with ${priority[1]}`);
  return (
    <>
      <section className="panel scroll" aria-label="The queue">
        <table className="plain cards queue live">
          <TableHead columns={[null, "Place", "Request", "Priority", "Move", "Would start", "Why it waits"]} />
          <tbody>
            {then.entries.slice(0, SHOWN).map((entry) => {
              const { request_name: name } = entry;
              return (
                <QueueRow
                  key={name}
                  entry={entry}
                  now={before.get(name) ?? entry}
                  isLast={entry.place === then.entries.length}
                  dragged={drag?.id === name ? "this" : drag?.over === name ? "over" : null}
                  handle={handleOf(name)}
                  onMove={(place) => move(name, place)}
                  onPriority={(priority) => change(name, priority)}
                />
              );
            })}
          </tbody>
        </table>
        {then.entries.length > SHOWN && (
          <p className="body quiet">and {count(then.entries.length - SHOWN, "other")} after these: wms2 queue --json</p>
        )}
      </section>
      <p className="quiet" role="status">
        {told || sentence.join("; ")}
      </p>
      {chosen.length > 0 && (
        <section className="bulk" aria-label="What if">
          <b>What if: nothing is set yet.</b>
          <span>
            {count(chosen.length, "request")} moved, {count(others.length, "other")} would make room
          </span>
          <button type="button" className="primary" onClick={() => setSetting(true)}>
            Set …
          </button>
          <button type="button" onClick={() => onChange(new Map())}>
            Forget it
          </button>
        </section>
      )}
      {isSetting && (
        <SetPriorities
          chosen={chosen}
          others={others}
          onClose={() => setSetting(false)}
          onSet={(names) => onChange(new Map([...whatIf].filter(([name]) => !names.includes(name))))}
        />
      )}
    </>
  );
}

/** A row that is moved may lose the focus: it gets it back at its new place. */
function useFocusAfterMove(order: unknown): (name: string) => void {
  const wanted = useRef<{ name: string; label: string | null } | null>(null);
  useEffect(() => {
    const { name, label } = wanted.current ?? {};
    wanted.current = null;
    if (name === undefined || document.activeElement !== document.body) return;
    const row = document.querySelector<HTMLElement>(`tr[data-id="${CSS.escape(name)}"]`);
    const button = label && row?.querySelector<HTMLElement>(`[aria-label="${CSS.escape(label)}"]:not(:disabled)`);
    (button || row)?.focus();
  }, [order]);
  return (name) => {
    wanted.current = { name, label: document.activeElement?.getAttribute("aria-label") ?? null };
  };
}
