import { type ReactNode, useState } from "react";
import { Link } from "wouter";
import type { OperatorAction } from "../../../src/recovery/round/actions.ts";
import { ActOnOne } from "../../act/one.tsx";
import { Recover } from "../../act/recover.tsx";
import type { Answer } from "../../api/client.ts";
import { useAnswer } from "../../api/queries.ts";
import { ActionButton } from "../../ui/action-button.tsx";
import { useKeys } from "../../ui/keys.tsx";

type Choice = Answer<"desk.actions">["items"][number];

/** Everything that can be done with a request: each says its effect; what may not be done now stays, and says why. */
export function Actions({ request }: { request: Answer<"requests.show"> }): ReactNode {
  const { request_name: name, hold } = request;
  const [action, setAction] = useState<OperatorAction | "recover" | null>(null);
  const { data } = useAnswer("desk.actions", { name }, { keep: true });
  const likely = hold?.actions ?? [];
  const rank = ({ action: word, allowed }: Choice) =>
    allowed ? (likely.includes(word) ? likely.indexOf(word) : 50) : 100;
  const sorted = (data?.items ?? []).toSorted((a, b) => rank(a) - rank(b));
  const look = ({ action: word, allowed, destroys }: Choice) =>
    allowed && word === likely[0] ? "primary" : allowed && destroys ? "danger" : "";
  const resubmit = sorted.find(({ action: word }) => word === "resubmit");
  useKeys({
    f: ["run everything that failed again (preview first)", () => resubmit?.allowed && setAction("resubmit")],
  });
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
      {resubmit && (
        <ActionButton
          whyNot={resubmit.allowed ? null : resubmit.why_not}
          about="run jobs again that lacked memory or time, with more of it, and those whose host was lost"
          onPress={() => setAction("recover")}
        >
          recover
        </ActionButton>
      )}
      <Link className="button" href={`/submit?clone=${encodeURIComponent(name)}&next=${encodeURIComponent(name)}`}>
        clone
      </Link>
      {action === "recover" && <Recover name={name} onClose={() => setAction(null)} />}
      {action && action !== "recover" && <ActOnOne action={action} name={name} onClose={() => setAction(null)} />}
    </div>
  );
}
