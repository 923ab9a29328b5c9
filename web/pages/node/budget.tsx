import type { ReactNode } from "react";
import { Link } from "wouter";
import { roleOfNode } from "../../../src/core/roles.ts";
import type { AttemptView } from "../../../src/operations/attempts.ts";
import { useAnswer } from "../../api/queries.ts";
import { Problem } from "../../problem.tsx";
import { Time } from "../../ui/time.tsx";

/** What is left to try: what the policy would do if it failed in the same way again. */
export function Budget({ name, last }: { name: string; last: AttemptView }): ReactNode {
  const { exit_code: code, site, rrn, node } = last;
  const isOpen = last.decision === "retry";
  const attempt = isOpen ? Math.min(100, rrn + 1) : 1;
  const input = { code, request: name, attempt, role: roleOfNode(node), ...(site && { site }) };
  const { data, error } = useAnswer("policy.explain", input);
  return (
    <section className="panel">
      <header>
        <h2>Remaining retries</h2>
        <Link className="end" href={`/policy?code=${code}`}>
          Policy for exit {code}
        </Link>
      </header>
      <div className="body commands">
        <p>
          It ran {rrn === 1 ? "once" : `${rrn} times`} so far.{" "}
          {!isOpen ? (
            "No automatic retries remain; resubmit gives it new ones."
          ) : last.not_before ? (
            <>
              It is retried automatically <Time at={last.not_before} as="both" />.
            </>
          ) : (
            "It is retried automatically now."
          )}
        </p>
        {error && <Problem error={error} />}
        {data && (
          <p className="quiet">
            {isOpen ? `A similar failure of execution ${attempt}` : "A similar failure after a resubmit"}:{" "}
            <b>{data.decision}</b>: {data.reason}
          </p>
        )}
      </div>
    </section>
  );
}
