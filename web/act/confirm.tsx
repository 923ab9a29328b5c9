import { type ReactNode, useState } from "react";
import { Banner } from "../ui/banner.tsx";
import { ActDialog } from "./act-dialog.tsx";

/** What would happen: in one sentence, and line by line. */
interface Foretold {
  readonly message: string;
  readonly lines: readonly string[];
  /** Why there is nothing to do; null: there is. */
  readonly nothing: string | null;
}

interface ConfirmProps {
  readonly title: string;
  readonly verb: string;
  readonly about: string;
  /** Asks the server for a dry run; `asked` names what it is about. */
  readonly asked: unknown;
  readonly foretell: () => Promise<Foretold>;
  readonly act: (reason: string) => Promise<unknown>;
  readonly cli: (reason: string) => string;
  readonly onClose: () => void;
  readonly onDone?: () => void;
}

const MOST = 200;

/** A change that is not an action of requests. */
export function Confirm({ verb, act, cli, ...course }: ConfirmProps): ReactNode {
  const [reason, setReason] = useState("");
  return (
    <ActDialog
      {...course}
      shown={(told) => <Told told={told} />}
      nothing={(told) => told.nothing}
      verb={() => verb}
      fields={
        <label>
          <span className="label">Reason (kept in the audit)</span>
          <input required value={reason} maxLength={1000} onChange={({ target }) => setReason(target.value)} />
        </label>
      }
      reason={reason}
      act={() => act(reason)}
      cli={cli(reason || "…")}
    />
  );
}

const Told = ({ told: { message, lines, nothing } }: { told: Foretold }): ReactNode => (
  <>
    <Banner kind="info">
      <b>{nothing === null ? "Preview:" : "Nothing would change:"}</b> <span>{message}</span>
    </Banner>
    <ul className="told-lines">
      {lines.slice(0, MOST).map((line) => (
        <li key={line}>{line}</li>
      ))}
    </ul>
    {lines.length > MOST && <p className="quiet">and {(lines.length - MOST).toLocaleString("en")} more</p>}
  </>
);
