import { type ReactNode, useState } from "react";
import { OPERATOR_ACTIONS, type OperatorAction } from "../../../src/recovery/round/actions.ts";
import { ActOnOne } from "../../act/one.tsx";
import type { Answer } from "../../api/client.ts";
import { useAnswer } from "../../api/queries.ts";
import { Command } from "../../ui/copy-button.tsx";

type Suggested = Answer<"attempts.errors">["suggestion"];

const asAction = (word: string): OperatorAction | null => OPERATOR_ACTIONS.find((known) => known === word) ?? null;

/** What to try, why, and the button that shows what it would do. */
export function Suggestion({ name, suggestion }: { name: string; suggestion: Suggested }): ReactNode {
  const [isOpen, setOpen] = useState(false);
  const request = useAnswer("requests.show", { name });
  const action = asAction(suggestion.action);
  const isAllowed = request.data?.allowed_actions.some((allowed) => allowed.action === action) ?? false;
  return (
    <section className="panel" aria-label="What to try">
      <header>
        <h2>What to try: {suggestion.action}</h2>
      </header>
      <div className="body commands">
        <p>{suggestion.reason}</p>
        {suggestion.command && <Command text={suggestion.command} />}
        {suggestion.everybody_command && (
          <>
            <p>Or for all requests, until the ban ends:</p>
            <Command text={suggestion.everybody_command} />
          </>
        )}
        {action && isAllowed && (
          <div>
            <button type="button" className="primary" onClick={() => setOpen(true)}>
              {action} …
            </button>
          </div>
        )}
      </div>
      {isOpen && action && request.data && (
        <ActOnOne
          action={action}
          name={name}
          version={request.data.version}
          more={suggestion.modifications}
          onClose={() => setOpen(false)}
        />
      )}
    </section>
  );
}
