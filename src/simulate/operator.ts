import type { RequestName } from "../domain/names.ts";
import type { Stage } from "./deeds.ts";
import type { Deed } from "./scenario.ts";

type OperatorEvent = Extract<Deed, { kind: "operator" }>;
type Answer = { readonly kind: string; readonly reason?: string } & Record<string, unknown>;

/** Somebody asks for something through the same commands the API calls, and is told the answer. */
export async function act({ action, request, reason, body }: OperatorEvent, stage: Stage): Promise<void> {
  const name = stage.nameOf(request) as RequestName;
  const { commands } = stage.server();
  const seen = { actor: "story", version: null };
  const say = (kind: "operator" | "trouble", words: string, answer: unknown = null) =>
    stage.timeline.add(kind, name, words, { action, body, answer });
  if (action === "abort") {
    const answer: Answer = { ...(await commands.abort(name, reason, seen)) };
    return say("operator", told(action, reason, answer));
  }
  say("trouble", `${action} was asked for (${reason}), but this version of wms2 has no such command yet`);
}

function told(action: string, reason: string, { kind, reason: why }: Answer): string {
  if (kind === "changed") return `${action} was asked for: ${reason}`;
  return `${action} was asked for (${reason}) and refused: ${why ?? kind}`;
}
