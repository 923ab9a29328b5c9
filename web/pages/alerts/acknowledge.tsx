import { useQueryClient } from "@tanstack/react-query";
import { type FormEvent, type ReactNode, useState } from "react";
import { type Answer, call } from "../../api/client.ts";
import { Problem } from "../../problem.tsx";
import { Command } from "../../ui/copy-button.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { quoted } from "../../words.ts";

export type Alert = Answer<"alerts.list">["items"][number];

/** Somebody takes care of it: who, and what is done about it. It closes by itself when the trouble is over. */
export function Acknowledge({ alert, onClose }: { alert: Alert; onClose: () => void }): ReactNode {
  const queries = useQueryClient();
  const [reason, setReason] = useState("");
  const [problem, setProblem] = useState<unknown>(null);
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    try {
      await call("alerts.acknowledge", { id: alert.id, reason });
      await queries.invalidateQueries();
      onClose();
    } catch (error) {
      setProblem(error);
    }
  };
  return (
    <Dialog title={`Take care of ${alert.subject}`} onClose={onClose}>
      <form className="commands" onSubmit={(event) => void submit(event)}>
        <p>{alert.message}</p>
        <label>
          <span className="label">What is done about it (a ticket, a plan; seen in the audit)</span>
          <input required value={reason} maxLength={1000} onChange={({ target }) => setReason(target.value)} />
        </label>
        <p className="quiet">
          The people who get alerts are told that you take care of it. It closes when its cause is gone.
        </p>
        {problem !== null && <Problem error={problem} />}
        <Command text={`wms2 alerts ack ${alert.id} --reason ${quoted(reason || "…")}`} />
        <button type="submit" className="primary">
          I take care of it
        </button>
      </form>
    </Dialog>
  );
}
