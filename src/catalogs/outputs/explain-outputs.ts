import { type BlockError, type OutputSummary, type OutputsEnd, UNREACHABLE } from "../../core/output-block.ts";
import type { WaitCode } from "../../core/wait.ts";

type Trouble = NonNullable<OutputSummary["trouble"]>;

/** What does not go well with a block, in one sentence that names what it is about. */
export function describeTrouble({ block, error: { unit, step, message, code } }: Trouble): string {
  if (unit !== null) return `outputs of ${unit} cannot be registered: ${message}`;
  return code === UNREACHABLE ? message : `${step} of ${block} is refused: ${message}`;
}

const END_WORD: Readonly<Record<OutputsEnd, string>> = {
  registered: "registered",
  archived: "archived",
  on_disk: "kept on disk",
};

/** Why a request that has no work left is not completed yet; until when, and who can change that. */
export function explainOutputs(
  { blocks, done, trouble }: OutputSummary,
  end: OutputsEnd,
): { readonly reason: string; readonly on: { readonly code: WaitCode; readonly until: Date | null } } {
  const far = `outputs: ${done} of ${blocks} ${blocks === 1 ? "block" : "blocks"} ${END_WORD[end]}`;
  if (!trouble) return { reason: far, on: { code: "outputs", until: null } };
  const { error, nextTryAt } = trouble;
  const fix = isRefusal(error) ? ` (${error.fix})` : "";
  const code = isRefusal(error) ? "outputs-refused" : "outputs";
  return { reason: `${far}; ${describeTrouble(trouble)}${fix}`, on: { code, until: nextTryAt } };
}

const isRefusal = ({ code }: BlockError): boolean => code !== UNREACHABLE;
