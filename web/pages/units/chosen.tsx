import { Fragment, type ReactNode, useState } from "react";
import { Link } from "wouter";
import { ActOnOne } from "../../act/one.tsx";
import type { Answer } from "../../api/client.ts";
import { unitHref } from "../../job-links.ts";
import { ActionButton } from "../../ui/action-button.tsx";
import { count } from "../../words.ts";

interface ChosenProps {
  readonly request: Answer<"requests.show">;
  readonly units: readonly string[];
  readonly onClear: () => void;
}

/** The API takes so many names at once. */
const MOST = 10_000;

/** What is selected, and the way to run it again. */
export function Chosen({ request, units, onClear }: ChosenProps): ReactNode {
  const [isOpen, setOpen] = useState(false);
  const whyNot =
    units.length > MOST ? `at most ${MOST.toLocaleString("en")} units at once: rescue runs all that failed` : null;
  return (
    <section className="bulk" aria-label="Selected units">
      <b className="number">{count(units.length, "unit")} selected</b>
      <span className="quiet">
        {units.slice(0, 3).map((unit, index) => (
          <Fragment key={unit}>
            {index > 0 && ", "}
            <Link href={unitHref(request.request_name, unit)}>{unit}</Link>
          </Fragment>
        ))}
        {units.length > 3 && " …"}
      </span>
      <ActionButton className="primary" whyNot={whyNot} onPress={() => setOpen(true)}>
        Resubmit …
      </ActionButton>
      <button type="button" onClick={onClear}>
        Clear
      </button>
      {isOpen && (
        <ActOnOne action="resubmit" name={request.request_name} more={{ units }} onClose={() => setOpen(false)} />
      )}
    </section>
  );
}
