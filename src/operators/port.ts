import type { makeCommands } from "./commands.ts";

/**
 * What people and programs may ask of the lifecycle. A command validates, stores a wish or a change, nudges
 * the loop and returns; the loop does the work. `actor` is the name of the token that asked.
 */
export type Commands = ReturnType<typeof makeCommands>;

export { describeErrors } from "../explain/describe-errors.ts";
export type { ErrorsView } from "../explain/errors-view.ts";
export type { LoopStatus } from "../lifecycle/loop.ts";
export { ACTION, actionsIn, mayResume, OPERATOR_ACTIONS, type OperatorAction } from "../recovery/round/actions.ts";
export type { ActAnswer, OperatorRequest } from "./act.ts";
export type { ManyAnswer } from "./act-many.ts";
export type { AttemptPage } from "./attempts.ts";
export type { ClassifyAnswer, UnclassifiedNode, UnclassifiedPage } from "./classify.ts";
export type { ChangeAnswer, SubmitAnswer } from "./commands.ts";
export type { PlanPreview } from "./preview.ts";
export type { By } from "./reserve.ts";
export type { RetryAnswer, RetryWanted } from "./retry-node.ts";
export type { SiteEffect } from "./site-actions.ts";
