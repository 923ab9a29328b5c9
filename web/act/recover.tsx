import type { ReactNode } from "react";
import { type Answer, call } from "../api/client.ts";
import { count, quoted } from "../words.ts";
import { ONLY_A_LOOK } from "./act-dialog.tsx";
import { Confirm } from "./confirm.tsx";

type Recovered = Answer<"recovery.recover">;

/** Runs again what lacked memory or time, or lost its host: what each job gets stands in the preview. */
export const Recover = ({ name, onClose }: { name: string; onClose: () => void }): ReactNode => (
  <Confirm
    title={`recover ${name}`}
    verb="recover"
    about="Run jobs again that ran out of memory or time, with more of it, and jobs whose host was lost. No other job runs again."
    asked={["recover", name]}
    foretell={async () => {
      const told = await call("recovery.recover", { name, reason: ONLY_A_LOOK, dry_run: true });
      const isNothing = told.raised + told.again === 0 || told.already;
      return { message: told.message, lines: linesOf(told), nothing: isNothing ? told.message : null };
    }}
    act={(reason) => call("recovery.recover", { name, reason })}
    cli={(reason) => `wms2 recover ${quoted(name)} --reason ${quoted(reason)}`}
    onClose={onClose}
  />
);

const linesOf = ({ nodes, more }: Recovered): readonly string[] => [
  ...nodes.map(({ unit, node, job, reason }) => `${job ?? (unit === node ? node : `${unit}/${node}`)}: ${reason}`),
  ...(more > 0 ? [`and ${count(more, "other job")}`] : []),
];
