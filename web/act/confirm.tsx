import { useQuery, useQueryClient } from "@tanstack/react-query";
import { type ReactNode, useState } from "react";
import { Problem } from "../problem.tsx";
import { useWhyNotOperator } from "../sign-in.tsx";
import { ActionButton } from "../ui/action-button.tsx";
import { Banner, Loading } from "../ui/banner.tsx";
import { Command } from "../ui/copy-button.tsx";
import { Dialog } from "../ui/dialog.tsx";
import { WHY_NOT_YET } from "./fields.tsx";

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

/** A change that is not an action of requests: what it would do as the server says, then why, then do. */
export function Confirm(props: ConfirmProps): ReactNode {
  const { title, verb, about, asked, foretell, act, cli, onClose, onDone } = props;
  const queries = useQueryClient();
  const [reason, setReason] = useState("");
  const [problem, setProblem] = useState<unknown>(null);
  const [isBusy, setBusy] = useState(false);
  const notOperator = useWhyNotOperator();
  const preview = useQuery({
    queryKey: ["preview", title, asked],
    queryFn: foretell,
    enabled: notOperator === null,
    retry: false,
    staleTime: 0,
    refetchInterval: false,
  });
  const press = async () => {
    setBusy(true);
    setProblem(null);
    try {
      await act(reason);
      await queries.invalidateQueries();
      onDone?.();
      onClose();
    } catch (error) {
      setProblem(error);
      setBusy(false);
    }
  };
  const unseen = preview.error?.message ?? (preview.data ? preview.data.nothing : "the preview is not there yet");
  const whyNot = isBusy ? "it is being done" : (notOperator ?? unseen ?? (reason.trim() ? null : WHY_NOT_YET));
  return (
    <Dialog
      title={title}
      onClose={onClose}
      footer={
        <>
          <button type="button" onClick={onClose}>
            Leave it
          </button>
          <ActionButton className="primary" whyNot={whyNot} onPress={() => void press()}>
            {isBusy ? "…" : verb}
          </ActionButton>
        </>
      }
    >
      <p>{about}</p>
      {notOperator && <Banner kind="warning">{notOperator}</Banner>}
      {preview.isLoading && <Loading what="what it would do" />}
      {preview.data && <Told told={preview.data} />}
      {preview.error && <Problem error={preview.error} />}
      <label>
        <span className="label">Why (kept in the audit)</span>
        <input required value={reason} maxLength={1000} onChange={({ target }) => setReason(target.value)} />
      </label>
      {problem !== null && <Problem error={problem} />}
      <Command text={cli(reason || "…")} />
    </Dialog>
  );
}

const Told = ({ told: { message, lines, nothing } }: { told: Foretold }): ReactNode => (
  <section aria-label="What would happen" className="commands" aria-live="polite">
    <Banner kind="info">
      <b>{nothing === null ? "This would happen:" : "Nothing would change:"}</b> <span>{message}</span>
    </Banner>
    <ul className="told-lines">
      {lines.slice(0, MOST).map((line) => (
        <li key={line}>{line}</li>
      ))}
    </ul>
    {lines.length > MOST && <p className="quiet">and {(lines.length - MOST).toLocaleString("en")} more</p>}
  </section>
);
