import { useQueryClient } from "@tanstack/react-query";
import { type ReactNode, useState } from "react";
import { type Answer, call } from "../../api/client.ts";
import { Problem } from "../../problem.tsx";
import { useWhyNotOperator } from "../../sign-in.tsx";
import { ActionButton } from "../../ui/action-button.tsx";
import { Letter, type Tone } from "../../ui/badge.tsx";
import { Time } from "../../ui/time.tsx";
import { count } from "../../words.ts";

type Alert = Answer<"alerts.list">["items"][number];

const LOOK: Readonly<Record<Alert["severity"], readonly [Tone, string]>> = {
  critical: ["failed", "!"],
  warning: ["held", "!"],
  info: ["waiting", "i"],
};

interface AlertsProps {
  /** The newest of those that are not about held requests. */
  readonly alerts: readonly Alert[];
  readonly open: number;
  readonly ofHeld: number;
}

/** What people should know, and whether somebody takes care of it. */
export function Alerts({ alerts, open, ofHeld }: AlertsProps): ReactNode {
  const queries = useQueryClient();
  const whyNot = useWhyNotOperator();
  const [problem, setProblem] = useState<unknown>(null);
  const acknowledge = async (id: string) => {
    try {
      await call("alerts.acknowledge", { id });
      await queries.invalidateQueries({ queryKey: ["alerts.list"] });
    } catch (error) {
      setProblem(error);
    }
  };
  return (
    <section className="panel">
      <header>
        <h2>Alerts</h2>
        <span className="quiet">
          {count(open, "open alert")}
          {ofHeld > 0 && `, ${ofHeld.toLocaleString("en")} of held requests`}
        </span>
      </header>
      {problem !== null && <Problem error={problem} />}
      {alerts.length === 0 && (
        <p className="body quiet">{ofHeld > 0 ? "No others than those of held requests." : "None is open."}</p>
      )}
      <ol className="groups">
        {alerts.map((alert) => (
          <li key={alert.id}>
            <div className="title">
              <Letter tone={LOOK[alert.severity][0]} letter={LOOK[alert.severity][1]} />
              <h3>{alert.subject}</h3>
              <span className="quiet">
                {alert.severity}, <Time at={alert.first_at} />
                {alert.count > 1 && `, ${alert.count} ×`}
              </span>
              <span className="end">
                {alert.acknowledged_by ? (
                  <span className="quiet">{alert.acknowledged_by} takes care of it</span>
                ) : (
                  <ActionButton whyNot={whyNot} onPress={() => void acknowledge(alert.id)}>
                    I take care of it
                  </ActionButton>
                )}
              </span>
            </div>
            <p>{alert.message}</p>
          </li>
        ))}
        {open - ofHeld > alerts.length && (
          <li className="quiet">and {count(open - ofHeld - alerts.length, "older one")}: see Alerts</li>
        )}
      </ol>
    </section>
  );
}
