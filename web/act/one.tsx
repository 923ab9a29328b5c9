import { type ReactNode, useState } from "react";
import { ACTION, MEANT, type OperatorAction } from "../../src/recovery/round/actions.ts";
import { type Answer, call } from "../api/client.ts";
import { Banner } from "../ui/banner.tsx";
import { quoted } from "../words.ts";
import { ActDialog, ONLY_A_LOOK } from "./act-dialog.tsx";
import { type Body, changeText, cliLine } from "./body-words.ts";
import { Fields, type Filled } from "./fields.tsx";

interface OneProps {
  readonly action: OperatorAction;
  readonly name: string;
  /** Beside what a person fills in, like the nodes to resubmit. */
  readonly more?: Body;
  readonly onClose: () => void;
}

/** One action on one request: its effect as the server foretells it, then why, then do. */
export function ActOnOne({ action, name, more = MEANT[action], onClose }: OneProps): ReactNode {
  const [filled, setFilled] = useState<Filled>({ reason: "" });
  const { reason, ...options } = filled;
  const operation = `actions.${action}` as "actions.release";
  const changes = { ...more, ...options };
  const body = { name, ...changes };
  return (
    <ActDialog
      title={`${action} ${name}`}
      about={[ACTION[action].meaning, changeText(changes)].filter(Boolean).join(". ")}
      asked={[action, body]}
      foretell={() => call(operation, { ...body, reason: ONLY_A_LOOK, dry_run: true })}
      shown={(acted) => <Effect acted={acted} />}
      verb={() => action}
      fields={<Fields action={action} filled={filled} onChange={setFilled} />}
      reason={reason}
      act={({ request }) => call(operation, { ...body, reason }, { version: request.version })}
      cli={cliLine({ action, body: changes, reason }, quoted(name))}
      onClose={onClose}
    />
  );
}

function Effect({ acted }: { acted: Answer<"actions.release"> }): ReactNode {
  const { message, warnings, detail, already } = acted;
  const changed = Array.isArray(detail.changed) ? detail.changed.map(String) : [];
  return (
    <>
      <Banner kind={warnings.length > 0 ? "warning" : "info"}>
        <b>{already ? "Nothing would change:" : "Preview:"}</b> <span>{message}</span>
      </Banner>
      <ul>
        {[...changed, ...warnings.map((warning) => `warning: ${warning}`)].map((line) => (
          <li key={line}>{line}</li>
        ))}
      </ul>
    </>
  );
}
