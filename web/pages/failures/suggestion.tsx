import { type ReactNode, useState } from "react";
import { OPERATOR_ACTIONS, type OperatorAction } from "../../../src/recovery/round/actions.ts";
import { ActOnOne } from "../../act/one.tsx";
import { Recover } from "../../act/recover.tsx";
import type { Answer } from "../../api/client.ts";
import { useAnswer } from "../../api/queries.ts";
import { Command } from "../../ui/copy-button.tsx";
import { useKeys } from "../../ui/keys.tsx";

type Suggested = Answer<"attempts.errors">["suggestion"];

const asAction = (word: string): OperatorAction | null => OPERATOR_ACTIONS.find((known) => known === word) ?? null;

/** What to try, why, and the button that shows what it would do. */
export function Suggestion({ name, suggestion }: { name: string; suggestion: Suggested }): ReactNode {
  const [opened, setOpened] = useState<"suggested" | "resubmit" | null>(null);
  const { data } = useAnswer("desk.actions", { name }, { keep: true });
  const action = asAction(suggestion.action);
  const isRecover = suggestion.action === "recover";
  const may = (word: string | null) => data?.items.some((one) => one.action === word && one.allowed) ?? false;
  useKeys({ f: ["run everything that failed again (preview first)", () => may("resubmit") && setOpened("resubmit")] });
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
        {may(isRecover ? "resubmit" : action) && (
          <div>
            <button type="button" className="primary" onClick={() => setOpened("suggested")}>
              {suggestion.action} …
            </button>
          </div>
        )}
      </div>
      {opened === "resubmit" && <ActOnOne action="resubmit" name={name} onClose={() => setOpened(null)} />}
      {opened === "suggested" && isRecover && <Recover name={name} onClose={() => setOpened(null)} />}
      {opened === "suggested" && action && (
        <ActOnOne action={action} name={name} more={suggestion.modifications} onClose={() => setOpened(null)} />
      )}
    </section>
  );
}
