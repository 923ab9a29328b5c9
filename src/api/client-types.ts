/** The views as TypeScript types, for whoever speaks HTTP to this server. Types only: importing it loads nothing. */

export type { ProblemView } from "./problem.ts";
export type * from "./views/attempts.ts";
export type * from "./views/dag.ts";
export type * from "./views/errors.ts";
export type * from "./views/operate.ts";
export type * from "./views/operators.ts";
export type * from "./views/request.ts";
export type * from "./views/site.ts";
export type * from "./views/system.ts";
export type * from "./views/workflow.ts";
