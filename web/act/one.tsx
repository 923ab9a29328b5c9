import { useQuery, useQueryClient } from "@tanstack/react-query";
import { type ReactNode, useState } from "react";
import { ACTION, type OperatorAction } from "../../src/recovery/round/actions.ts";
import { type Answer, call } from "../api/client.ts";
import { Problem } from "../problem.tsx";
import { useWhyNotOperator } from "../sign-in.tsx";
import { ActionButton } from "../ui/action-button.tsx";
import { Banner, Loading } from "../ui/banner.tsx";
import { Command } from "../ui/copy-button.tsx";
import { Dialog } from "../ui/dialog.tsx";
import { quoted } from "../words.ts";
import { Fields, type Filled, WHY_NOT_YET } from "./fields.tsx";

interface OneProps {
  readonly action: OperatorAction;
  readonly name: string;
  /** Of the request as the page shows it: when it moved on since, the server refuses. */
  readonly version: number;
  /** Beside what a person fills in, like the nodes to resubmit. */
  readonly more?: Readonly<Record<string, unknown>>;
  readonly onClose: () => void;
}

/** One action on one request: its effect as the server foretells it, then why, then do. */
export function ActOnOne({ action, name, version, more = {}, onClose }: OneProps): ReactNode {
  const queries = useQueryClient();
  const [filled, setFilled] = useState<Filled>({ reason: "" });
  const [problem, setProblem] = useState<unknown>(null);
  const [isBusy, setBusy] = useState(false);
  const notOperator = useWhyNotOperator();
  const { reason, ...options } = filled;
  const operation = `actions.${action}` as "actions.release";
  const body = { name, ...more, ...options };
  const preview = useQuery({
    queryKey: ["preview", action, body, version],
    queryFn: () => call(operation, { ...body, reason: "a look at what it would do", dry_run: true }),
    enabled: notOperator === null,
    retry: false,
    staleTime: 0,
    refetchInterval: false,
  });
  const act = async () => {
    setBusy(true);
    setProblem(null);
    try {
      await call(operation, { ...body, reason }, { version });
      await queries.invalidateQueries();
      onClose();
    } catch (error) {
      setProblem(error);
      setBusy(false);
    }
  };
  const whyNot = notOperator ?? (preview.error ? preview.error.message : null) ?? (reason.trim() ? null : WHY_NOT_YET);
  return (
    <Dialog
      title={`${action} ${name}`}
      onClose={onClose}
      footer={
        <>
          <button type="button" onClick={onClose}>
            Leave it
          </button>
          <ActionButton className="primary" whyNot={isBusy ? "it is being done" : whyNot} onPress={() => void act()}>
            {isBusy ? "…" : action}
          </ActionButton>
        </>
      }
    >
      <p>{ACTION[action].meaning}</p>
      {notOperator && <Banner kind="warning">{notOperator}</Banner>}
      {preview.isLoading && <Loading what="what it would do" />}
      {preview.data && <Effect acted={preview.data} />}
      {preview.error && <Problem error={preview.error} />}
      <Fields action={action} filled={filled} onChange={setFilled} />
      {problem !== null && <Problem error={problem} />}
      <Command text={`wms2 ${action} ${quoted(name)} --reason ${quoted(reason || "…")}`} />
    </Dialog>
  );
}

function Effect({ acted }: { acted: Answer<"actions.release"> }): ReactNode {
  const { message, warnings, detail, already } = acted;
  const changed = Array.isArray(detail.changed) ? detail.changed.map(String) : [];
  return (
    <section aria-label="What would happen" className="commands" aria-live="polite">
      <Banner kind={warnings.length > 0 ? "warning" : "info"}>
        <b>{already ? "Nothing would change:" : "This would happen:"}</b> <span>{message}</span>
      </Banner>
      <ul>
        {[...changed, ...warnings.map((warning) => `warning: ${warning}`)].map((line) => (
          <li key={line}>{line}</li>
        ))}
      </ul>
    </section>
  );
}
