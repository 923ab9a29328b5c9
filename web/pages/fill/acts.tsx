import type { ReactNode } from "react";
import { Confirm } from "../../act/confirm.tsx";
import { call } from "../../api/client.ts";
import { quoted } from "../../words.ts";
import { type Choice, cliFill, sectionsOf } from "./words.ts";

interface OfRequest {
  readonly name: string;
  readonly onClose: () => void;
}

/** Has what is missing made. What is shown is the plan of now. */
export const ApplyFill = ({ name, choice, onClose }: OfRequest & { choice: Choice }): ReactNode => (
  <Confirm
    title={`Fill ${name}`}
    verb="Fill"
    about="The server plans it once more when the next round begins, and makes what is missing then."
    asked={[name, choice]}
    foretell={async () => {
      const { message, plan } = await call("fill.apply", { name, ...choice, dry_run: true });
      const lines = sectionsOf(plan).flatMap((section) => section.lines);
      return { message, lines, nothing: plan.actions.length === 0 ? "there is nothing that could be made now" : null };
    }}
    act={(reason) => call("fill.apply", { name, ...choice, reason })}
    cli={(reason) => `${cliFill(name, choice)} --yes --reason ${quoted(reason)}`}
    onClose={onClose}
  />
);

/** The server looks for a while at a time, and is asked until it has seen all of them. */
async function verifyAll(asked: { readonly name: string; readonly reason?: string; readonly dry_run?: boolean }) {
  let answer = await call("fill.verify", asked);
  const nodes = [...answer.nodes];
  const isWhole = answer.next === null;
  while (answer.next !== null) {
    answer = await call("fill.verify", { ...asked, after: answer.next });
    nodes.push(...answer.nodes);
  }
  return { message: isWhole ? answer.message : `${answer.of} products were looked at`, nodes };
}

/** Looks at the files themselves: what is gone or broken becomes a hole, what came by itself is done. */
export const VerifyProducts = ({ name, onClose }: OfRequest): ReactNode => (
  <Confirm
    title={`Verify the products of ${name}`}
    verb="Put it right"
    about="Checks the files of every product. What is gone or incomplete is marked as missing, what is complete as done."
    asked={name}
    foretell={async () => {
      const { message, nodes } = await verifyAll({ name, dry_run: true });
      const lines = nodes.map(({ id, outcome, reason }) => `${id}: ${outcome}${reason ? `, ${reason}` : ""}`);
      return { message, lines, nothing: nodes.length === 0 ? "everything is as it is known" : null };
    }}
    act={(reason) => verifyAll({ name, reason })}
    cli={(reason) => `wms2 verify ${quoted(name)} --yes --reason ${quoted(reason)}`}
    onClose={onClose}
  />
);

export const ReleaseNode = ({ name, node, onClose }: OfRequest & { node: string }): ReactNode => (
  <Confirm
    title={`Release ${node}`}
    verb="Release"
    about="It is tried again, and its failures are counted anew."
    asked={[name, node]}
    foretell={async () => {
      const { message, nodes } = await call("fill.release", { name, nodes: [node], dry_run: true });
      return { message, lines: nodes, nothing: nodes.length === 0 ? "it is not held" : null };
    }}
    act={(reason) => call("fill.release", { name, nodes: [node], reason })}
    cli={(reason) => `wms2 release ${quoted(name)} --product ${quoted(node)} --reason ${quoted(reason)}`}
    onClose={onClose}
  />
);
