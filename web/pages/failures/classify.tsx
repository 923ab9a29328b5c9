import { type ReactNode, useState } from "react";
import { ActDialog, ONLY_A_LOOK } from "../../act/act-dialog.tsx";
import { type Answer, call } from "../../api/client.ts";
import { Banner } from "../../ui/banner.tsx";
import { count, quoted } from "../../words.ts";
import type { Group } from "./groups.tsx";

export interface Meaning {
  readonly group: Group;
  readonly action: "retry" | "fail";
}

interface ClassifyProps {
  readonly name: string;
  readonly meaning: Meaning;
  readonly onClose: () => void;
}

/** Says what failures alike mean: for these, and for the runs to come if it is to be remembered. */
export function Classify({ name, meaning: { group, action }, onClose }: ClassifyProps): ReactNode {
  const [reason, setReason] = useState("");
  const [remember, setRemember] = useState(false);
  const body = { name, items: [{ group: group.key, action }], remember };
  return (
    <ActDialog
      title={`${action === "retry" ? "Retry" : "Fail"} ${count(group.unclassified, "similar failure")}`}
      about="Classify similar failures once for all: these, and those of later runs if it is remembered. Their logs say:"
      asked={body}
      foretell={() => call("attempts.classify", { ...body, reason: ONLY_A_LOOK, dry_run: true })}
      shown={(classified) => <Effect classified={classified} />}
      verb={() => `${action} ${group.unclassified}`}
      fields={
        <>
          <pre>{group.lines.join("\n")}</pre>
          <label>
            <span className="label">Reason</span>
            <input required value={reason} maxLength={1000} onChange={({ target }) => setReason(target.value)} />
          </label>
          <label className="inline">
            <input type="checkbox" checked={remember} onChange={({ target }) => setRemember(target.checked)} />
            remember it: a rule of the runs to come, known by what the log says
          </label>
        </>
      }
      reason={reason}
      act={() => call("attempts.classify", { ...body, reason })}
      cli={`wms2 classify ${quoted(name)} --group ${group.key} --${action} all --reason ${quoted(reason || "…")}${remember ? " --remember" : ""}`}
      onClose={onClose}
    />
  );
}

const Effect = ({ classified }: { classified: Answer<"attempts.classify"> }): ReactNode => (
  <Banner kind="info">
    <b>Preview:</b> <span>{classified.message}</span>
    {classified.rules.map(({ rule }) => (
      <span key={rule.stderr}>
        The rule: exit {rule.exit_code} and <code>{rule.stderr}</code> in the log.
      </span>
    ))}
  </Banner>
);
