import { useQuery, useQueryClient } from "@tanstack/react-query";
import { type ReactNode, useState } from "react";
import { WHY_NOT_YET } from "../../act/fields.tsx";
import { type Answer, call } from "../../api/client.ts";
import { Problem } from "../../problem.tsx";
import { useWhyNotOperator } from "../../sign-in.tsx";
import { ActionButton } from "../../ui/action-button.tsx";
import { Banner, Loading } from "../../ui/banner.tsx";
import { Command } from "../../ui/copy-button.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { count, quoted } from "../../words.ts";
import type { Group } from "./groups.tsx";

export interface Meaning {
  readonly group: Group;
  readonly action: "retry" | "fail";
}

/** Says what failures alike mean: for these, and for the runs to come if it is to be remembered. */
export function Classify({
  name,
  meaning,
  onClose,
}: {
  name: string;
  meaning: Meaning;
  onClose: () => void;
}): ReactNode {
  const { group, action } = meaning;
  const queries = useQueryClient();
  const [reason, setReason] = useState("");
  const [remember, setRemember] = useState(false);
  const [problem, setProblem] = useState<unknown>(null);
  const notOperator = useWhyNotOperator();
  const body = { name, items: [{ group: group.key, action }], remember };
  const preview = useQuery({
    queryKey: ["preview", "classify", body],
    queryFn: () => call("attempts.classify", { ...body, reason: "a look at what it would do", dry_run: true }),
    enabled: notOperator === null,
    retry: false,
    refetchInterval: false,
  });
  const act = async () => {
    try {
      await call("attempts.classify", { ...body, reason });
      await queries.invalidateQueries();
      onClose();
    } catch (error) {
      setProblem(error);
    }
  };
  const whyNot = notOperator ?? preview.error?.message ?? (reason.trim() ? null : WHY_NOT_YET);
  return (
    <Dialog
      title={`${action === "retry" ? "Retry" : "Fail"} ${count(group.unclassified, "failure")} alike`}
      onClose={onClose}
      footer={
        <>
          <button type="button" onClick={onClose}>
            Leave it
          </button>
          <ActionButton className="primary" whyNot={whyNot} onPress={() => void act()}>
            {action} {group.unclassified}
          </ActionButton>
        </>
      }
    >
      <pre>{group.lines.join("\n")}</pre>
      {notOperator && <Banner kind="warning">{notOperator}</Banner>}
      <label>
        <span className="label">Why</span>
        <input required value={reason} maxLength={1000} onChange={({ target }) => setReason(target.value)} />
      </label>
      <label className="inline">
        <input type="checkbox" checked={remember} onChange={({ target }) => setRemember(target.checked)} />
        remember it: a rule of the runs to come, known by what the log says
      </label>
      {preview.isLoading && <Loading what="what it would do" />}
      {preview.error && <Problem error={preview.error} />}
      {preview.data && <Effect classified={preview.data} />}
      {problem !== null && <Problem error={problem} />}
      <Command
        text={`wms2 classify ${quoted(name)} --group ${group.key} --${action} all --reason ${quoted(reason || "…")}`}
      />
    </Dialog>
  );
}

const Effect = ({ classified }: { classified: Answer<"attempts.classify"> }): ReactNode => (
  <Banner kind="info">
    <b>This would happen:</b> <span>{classified.message}</span>
    {classified.rules.map(({ rule }) => (
      <span key={rule.stderr}>
        The rule: exit {rule.exit_code} and <code>{rule.stderr}</code> in the log.
      </span>
    ))}
  </Banner>
);
