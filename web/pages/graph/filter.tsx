import type { ReactNode } from "react";
import { JOB_STATE } from "../../../src/core/job-state.ts";
import type { ResultView } from "../../../src/operations/results.ts";
import { Letter } from "../../ui/badge.tsx";
import { useUrlState } from "../../url-state.ts";

type State = ResultView["state"];
const STATES: readonly State[] = ["failed", "blocked", "held", "retrying", "running", "waiting", "done"];
export const isState = (word: string): word is State => STATES.some((state) => state === word);

/** Which jobs: what is chosen stands in the address. */
export function Filter(): ReactNode {
  const url = useUrlState();
  const chosen = url.all("state");
  const toggle = (state: State) =>
    url.set("state", chosen.includes(state) ? chosen.filter((word) => word !== state) : [...chosen, state]);
  return (
    <div className="toolbar">
      <label className="grow">
        <span className="label">Find in names</span>
        <input
          type="search"
          defaultValue={url.get("text") ?? ""}
          maxLength={200}
          onChange={({ target }) => url.set("text", target.value, { replace: true })}
        />
      </label>
      <fieldset className="tabs chips" aria-label="State">
        {STATES.map((state) => (
          <button key={state} type="button" aria-pressed={chosen.includes(state)} onClick={() => toggle(state)}>
            <Letter tone={JOB_STATE[state].tone} letter={JOB_STATE[state].letter} /> {state}
          </button>
        ))}
      </fieldset>
    </div>
  );
}
