import { type ReactNode, useState } from "react";
import type { OperatorAction } from "../../../src/recovery/round/actions.ts";
import { ActOnOne } from "../../act/one.tsx";
import type { Answer } from "../../api/client.ts";
import { useAnswer } from "../../api/queries.ts";
import { ActionButton } from "../../ui/action-button.tsx";

type Choice = Answer<"desk.actions">["items"][number];

/** Everything that can be done with a request: each says its effect; what may not be done now stays, and says why. */
export function Actions({ request }: { request: Answer<"requests.show"> }): ReactNode {
  const { request_name: name, hold } = request;
  const [action, setAction] = useState<OperatorAction | null>(null);
  const { data } = useAnswer("desk.actions", { name }, { keep: true });
  const likely = hold?.actions ?? [];
  const rank = ({ action: word, allowed }: Choice) =>
    allowed ? (likely.includes(word) ? likely.indexOf(word) : 50) : 100;
  const sorted = (data?.items ?? []).toSorted((a, b) => rank(a) - rank(b));
  const look = ({ action: word, allowed, destroys }: Choice) =>
    allowed && word === likely[0] ? "primary" : allowed && destroys ? "danger" : "";
  return (
    <div className="actions" role="group" aria-label="Actions">
      {sorted.map((choice) => (
        <ActionButton
          key={choice.action}
          className={look(choice)}
          whyNot={choice.allowed ? null : choice.why_not}
          about={choice.effect ?? choice.meaning}
          onPress={() => setAction(choice.action)}
        >
          {choice.action}
        </ActionButton>
      ))}
      {action && <ActOnOne action={action} name={name} version={request.version} onClose={() => setAction(null)} />}
    </div>
  );
}
