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

/** What people should know, and whether somebody takes care of it. */
export function Alerts({ alerts, hidden }: { alerts: readonly Alert[]; hidden: number }): ReactNode {
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
        <span className="quiet">{hidden > 0 ? `and ${count(hidden, "other")}, of held requests` : ""}</span>
      </header>
      {problem !== null && <Problem error={problem} />}
      {alerts.length === 0 && <p className="body quiet">None is open.</p>}
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
      </ol>
    </section>
  );
}
