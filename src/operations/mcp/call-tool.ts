import { describeError, WorldError } from "../../core/base/errors.ts";
import { type Answered, type Ask, type Fields, isGood, refusalText, whatHappened } from "./ask.ts";
import { fingerprint, makeConfirm, readConfirm } from "./confirm.ts";
import { fit, isFields, openPlace, START, sealPlace } from "./fit.ts";
import { outsideText, outsideValue } from "./outside-text.ts";
import { operationInput, type Step, type Tool } from "./tool.ts";

/** What a tool came to: the answer, then what we say about it, apart so that neither passes for the other. */
export interface ToolResult {
  readonly text: string;
  readonly note?: Note;
  readonly isError: boolean;
}
interface Note {
  readonly next_cursor?: string;
  readonly cut?: string;
  readonly confirm?: string;
  readonly next_steps?: readonly Step[];
}

/** Who calls, and how operations are asked for them. */
export interface Caller {
  readonly ask: Ask;
  /** The caller's operator token; "": none. */
  readonly secret: string;
  now(): Date;
  /** Whether there is such a tool for them. */
  offers(tool: string): boolean;
}

const failed = (text: string, note: Note = {}): ToolResult => ({ text: outsideText(text), note, isError: true });

/** Whatever goes wrong is an answer an agent can read; only bugs are thrown. */
export async function callTool(tool: Tool, given: unknown, caller: Caller): Promise<ToolResult> {
  const parsed = tool.input.safeParse(given ?? {});
  if (!parsed.success) {
    const issues = parsed.error.issues.map(({ path, message }) => `- ${path.join(".") || "arguments"}: ${message}`);
    const known = Object.keys(tool.input.shape).join(", ");
    return failed([`${tool.name} was called with wrong arguments`, ...issues, `try: it takes ${known}`].join("\n"));
  }
  try {
    return tool.changes ? await change(tool, given as Fields, caller) : await look(tool, given as Fields, caller);
  } catch (error) {
    if (error instanceof WorldError) return failed(`${describeError(error)}\ntry: ${error.hint}`);
    throw error;
  }
}

async function look(tool: Tool, given: Fields | undefined, caller: Caller): Promise<ToolResult> {
  const { cursor, ...input } = given ?? {};
  const from = typeof cursor === "string" ? openPlace(cursor) : START;
  if (!from) return failed(`this is not a cursor of ${tool.name}\ntry: give next_cursor as it was answered, or none`);
  const page = from.page === null ? {} : { cursor: from.page };
  const answered = await caller.ask(tool.operation, { ...operationInput(tool, input), ...page });
  if (!isGood(answered)) return failed(refusalText(answered.body));
  return shown(tool, input, answered, caller, from);
}

function shown(tool: Tool, input: Fields, { body }: Answered, { offers }: Caller, from = START): ToolResult {
  const answer = shownPart(tool, body);
  const { text, rest, isCut } = fit(answer, tool.list ?? "items", from);
  const steps = (tool.next?.(isFields(answer) ? answer : {}, input) ?? []).filter((step) => offers(step.tool));
  const note: Note = {
    ...(rest && !tool.changes && { next_cursor: sealPlace(rest) }),
    ...(isCut && !tool.changes && { cut: "this is a piece of a larger text; join the pieces in order" }),
    // A change is not asked twice for the rest of its answer.
    ...(rest && tool.changes && { cut: "only the beginning is shown" }),
    ...(steps.length > 0 && { next_steps: steps }),
  };
  return { text, note, isError: false };
}

/** What of an answer an agent gets to see. */
function shownPart({ only, without = [] }: Tool, body: unknown): unknown {
  const part = only ? only.reduce<unknown>((value, key) => (isFields(value) ? value[key] : null), body) : body;
  if (!isFields(part)) return outsideValue(part ?? {});
  const { next_cursor = null, ...kept } = Object.fromEntries(
    Object.entries(part).filter(([key]) => !without.includes(key)),
  );
  // The one null that is looked for.
  return { ...(outsideValue(kept) as Fields), ...("next_cursor" in part && { next_cursor }) };
}

async function change(tool: Tool, given: Fields, caller: Caller): Promise<ToolResult> {
  const { dry_run: dryRun = true, confirm, ...input } = given;
  if (dryRun !== false) return preview(tool, input, caller);
  if (typeof confirm !== "string")
    return refuse(`${tool.name} changes something and needs the confirm token of a dry run`, tool, input, caller);
  const { ask, secret } = caller;
  const checked = readConfirm(confirm, { tool: tool.name, input, secret }, caller.now());
  if (!checked.ok) return refuse(checked.why, tool, input, caller);
  const seen = checked.state.startsWith(VERSION) ? { seen: checked.state.slice(VERSION.length) } : {};
  if (!("seen" in seen)) {
    const again = await dryAsk(tool, input, ask);
    if (!isGood(again)) return failed(refusalText(again.body));
    if (stateOf(again) !== checked.state) return refuse("things changed since the dry run", tool, input, caller);
  }
  const answered = await ask(tool.operation, operationInput(tool, input), seen);
  if (answered.status === 412) return refuse(whatHappened(answered.body), tool, input, caller);
  if (!isGood(answered)) return failed(refusalText(answered.body));
  return shown(tool, input, answered, caller);
}

const VERSION = "v";
/** The version the preview saw, where there is one: the server compares it once more, in the same step as the change. */
const stateOf = ({ etag, body }: Answered): string =>
  etag ? `${VERSION}${etag.replaceAll('"', "")}` : `h${fingerprint(body)}`;

const dryAsk = (tool: Tool, input: Fields, ask: Ask): Promise<Answered> =>
  ask(tool.operation, { ...operationInput(tool, input), dry_run: true });

async function preview(tool: Tool, input: Fields, caller: Caller): Promise<ToolResult> {
  const answered = await dryAsk(tool, input, caller.ask);
  if (!isGood(answered)) return failed(refusalText(answered.body));
  const { text, note: { cut } = {} } = shown(tool, input, answered, caller);
  if (isFields(answered.body) && answered.body.already === true) return { text, isError: false };
  const previewed = { tool: tool.name, input, secret: caller.secret };
  const confirm = makeConfirm(previewed, stateOf(answered), caller.now());
  const why =
    "nothing was changed yet: show this to the person; if they agree, call again with the same arguments and these";
  return {
    text,
    isError: false,
    note: {
      ...(cut && { cut }),
      confirm,
      next_steps: [{ tool: tool.name, arguments: { dry_run: false, confirm }, why }],
    },
  };
}

/** Nothing was changed; what would be done now, and a token for that. */
async function refuse(why: string, tool: Tool, input: Fields, caller: Caller): Promise<ToolResult> {
  const fresh = await preview(tool, input, caller);
  return failed(`${why}; nothing was changed.\nA dry run now says:\n${fresh.text}`, fresh.note);
}
