import { useQuery, useQueryClient } from "@tanstack/react-query";
import { type ReactNode, useState } from "react";
import { Problem } from "../problem.tsx";
import { useWhyNotOperator } from "../sign-in.tsx";
import { ActionButton } from "../ui/action-button.tsx";
import { Banner, Loading } from "../ui/banner.tsx";
import { Command } from "../ui/copy-button.tsx";
import { Dialog } from "../ui/dialog.tsx";

interface ActDialogProps<Told> {
  readonly title: string;
  readonly about: string;
  /** Names the dry run: when it changes, the server is asked again. */
  readonly asked: unknown;
  /** The dry run. */
  readonly foretell: () => Promise<Told>;
  readonly shown: (told: Told) => ReactNode;
  /** Why there is nothing to do; null: there is. */
  readonly nothing?: (told: Told) => string | null;
  readonly verb: (told: Told | undefined) => string;
  readonly fields: ReactNode;
  readonly reason: string;
  /** About what was shown: a request that moved on since is refused. */
  readonly act: (told: Told) => Promise<unknown>;
  readonly cli: string;
  readonly onClose: () => void;
  readonly onDone?: (() => void) | undefined;
}

/** Given as the reason of dry runs: nobody has said one yet. */
export const ONLY_A_LOOK = "a look at what it would do";
export const WHY_NOT_YET = "enter a reason: it is kept with the request";

/** One change: what it would do as the server says, then why, then do. */
export function ActDialog<Told>(props: ActDialogProps<Told>): ReactNode {
  const { title, about, asked, foretell, shown, nothing, verb, fields, reason, act, cli, onClose, onDone } = props;
  const queries = useQueryClient();
  const [problem, setProblem] = useState<unknown>(null);
  const [isBusy, setBusy] = useState(false);
  const [look, setLook] = useState(0);
  const notOperator = useWhyNotOperator();
  // What is shown stays as it was shown, whatever happens meanwhile: what is pressed is about that.
  const preview = useQuery({
    queryKey: ["preview", title, asked, look],
    queryFn: foretell,
    enabled: ({ state }) => notOperator === null && state.data === undefined,
    retry: false,
    gcTime: 0,
    refetchInterval: false,
  });
  const told = preview.data;
  const press = async () => {
    if (told === undefined) return;
    setBusy(true);
    setProblem(null);
    try {
      await act(told);
      await queries.invalidateQueries();
      onDone?.();
      onClose();
    } catch (error) {
      setProblem(error);
      setBusy(false);
      setLook((looks) => looks + 1);
    }
  };
  const unseen = preview.error?.message ?? (preview.isSuccess ? null : "the preview is not there yet");
  const needless = told === undefined ? null : (nothing?.(told) ?? null);
  const whyNot = notOperator ?? unseen ?? needless ?? (reason.trim() ? null : WHY_NOT_YET);
  return (
    <Dialog
      title={title}
      onClose={onClose}
      footer={
        <>
          <button type="button" onClick={onClose}>
            Cancel
          </button>
          <ActionButton className="primary" whyNot={isBusy ? "it is being done" : whyNot} onPress={() => void press()}>
            {isBusy ? "…" : verb(told)}
          </ActionButton>
        </>
      }
    >
      <p>{about}</p>
      {notOperator && <Banner kind="warning">{notOperator}</Banner>}
      {preview.isLoading && <Loading what="what it would do" />}
      {told !== undefined && (
        <section aria-label="Preview" className="commands" aria-live="polite">
          {shown(told)}
        </section>
      )}
      {preview.error && problem === null && <Problem error={preview.error} />}
      {fields}
      {problem !== null && <Problem error={problem} />}
      <Command text={cli} />
    </Dialog>
  );
}
