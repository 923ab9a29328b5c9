import { useQueryClient } from "@tanstack/react-query";
import { type ReactNode, useState } from "react";
import { WHY_NOT_YET } from "../../act/act-dialog.tsx";
import { call } from "../../api/client.ts";
import { Problem } from "../../problem.tsx";
import { useWhyNotOperator } from "../../sign-in.tsx";
import { ActionButton } from "../../ui/action-button.tsx";
import { Banner } from "../../ui/banner.tsx";
import { Command } from "../../ui/copy-button.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { count, quoted } from "../../words.ts";
import type { Move } from "./order.ts";

interface SetProps {
  readonly chosen: readonly Move[];
  readonly others: readonly Move[];
  readonly onClose: () => void;
  /** What was set is no what-if any more; what was refused stays one. */
  readonly onSet: (names: readonly string[]) => void;
}

/** Makes what if so: who moves where, who makes room, why, do. */
export function SetPriorities({ chosen, others, onClose, onSet }: SetProps): ReactNode {
  const queries = useQueryClient();
  const notOperator = useWhyNotOperator();
  const [reason, setReason] = useState("");
  const [isBusy, setBusy] = useState(false);
  const [problem, setProblem] = useState<unknown>(null);
  const set = async () => {
    setBusy(true);
    setProblem(null);
    const done: string[] = [];
    try {
      for (const { name, priority } of chosen) {
        await call("requests.change", { name, priority: priority[1], reason });
        done.push(name);
      }
      onClose();
    } catch (error) {
      setProblem(error);
      setBusy(false);
    }
    onSet(done);
    await queries.invalidateQueries();
  };
  const whyNot = notOperator ?? (reason.trim() ? null : WHY_NOT_YET);
  return (
    <Dialog
      title={`Set ${count(chosen.length, "priority", "priorities")}`}
      onClose={onClose}
      footer={
        <>
          <button type="button" onClick={onClose}>
            Cancel
          </button>
          <ActionButton className="primary" whyNot={isBusy ? "it is being done" : whyNot} onPress={() => void set()}>
            {isBusy ? "…" : `Set ${count(chosen.length, "priority", "priorities")}`}
          </ActionButton>
        </>
      }
    >
      {notOperator && <Banner kind="warning">{notOperator}</Banner>}
      <label>
        <span className="label">Reason (seen in the audit)</span>
        <input required value={reason} maxLength={1000} onChange={({ target }) => setReason(target.value)} />
      </label>
      <section aria-label="Preview">
        <Moves moves={chosen} />
        {others.length > 0 && <p className="quiet">By it, {count(others.length, "other")} would make room:</p>}
        <Moves moves={others} />
      </section>
      {problem !== null && <Problem error={problem} />}
      {chosen.map(({ name, priority }) => (
        <Command key={name} text={`wms2 priority ${quoted(name)} ${priority[1]} --reason ${quoted(reason || "…")}`} />
      ))}
    </Dialog>
  );
}

const SHOWN = 20;
const Moves = ({ moves }: { moves: readonly Move[] }): ReactNode => (
  <ul>
    {moves.slice(0, SHOWN).map(({ name, place, priority }) => (
      <li key={name} className="number">
        <b>{name}</b>: place {place[0]} → {place[1]}
        {priority[0] !== priority[1] &&
          `, priority ${priority[0].toLocaleString("en")} → ${priority[1].toLocaleString("en")}`}
      </li>
    ))}
    {moves.length > SHOWN && <li className="quiet">and {count(moves.length - SHOWN, "other")}</li>}
  </ul>
);
