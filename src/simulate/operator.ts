import type { RequestName } from "../domain/names.ts";
import type { ActAnswer, OperatorRequest } from "../lifecycle/port.ts";
import type { Stage } from "./deeds.ts";
import type { Deed } from "./scenario.ts";

type OperatorEvent = Extract<Deed, { kind: "operator" }>;

/** Somebody asks for something through the same command the API calls, and is told the answer. */
export async function act(event: OperatorEvent, stage: Stage): Promise<void> {
  const { action, reason, body } = event;
  const name = stage.nameOf(event.request) as RequestName;
  const { how, nodes, cleanup_policy: cleanupPolicy, ...modifications } = body;
  const wanted = {
    action,
    reason,
    ...(how === undefined ? {} : { how }),
    ...(nodes === undefined ? {} : { nodes }),
    ...(cleanupPolicy === undefined ? {} : { cleanupPolicy }),
    ...(Object.keys(modifications).length === 0 ? {} : { modifications }),
  } as OperatorRequest;
  const seen = { actor: "story", version: null, dryRun: false };
  const answer = await stage.server().commands.act(name, wanted, seen);
  const said = Object.keys(body).length === 0 ? "" : ` ${JSON.stringify(body)}`;
  const { isFine, words } = answerWords(answer);
  stage.timeline.add(isFine ? "operator" : "trouble", name, `${action}${said} is asked for: ${words}`, {
    action,
    body,
    answer: answer.kind,
  });
}

function answerWords(answer: ActAnswer): { isFine: boolean; words: string } {
  switch (answer.kind) {
    case "done":
    case "would": {
      const warnings = answer.warnings.map((warning) => `; ${warning}`).join("");
      return { isFine: true, words: `${answer.because}${warnings}` };
    }
    case "already":
      return { isFine: true, words: answer.why };
    case "refused":
      return {
        isFine: false,
        words: `refused: ${answer.problems.map(({ path, message }) => (path ? `${path} ${message}` : message)).join("; ")}`,
      };
    default:
      return { isFine: false, words: answer.kind };
  }
}
