/** The views as TypeScript types, for whoever speaks HTTP to this server. Types only: importing it loads nothing. */

export type * from "../operations/actions.ts";
export type * from "../operations/attempts.ts";
export type * from "../operations/dags.ts";
export type * from "../operations/errors.ts";
export type * from "../operations/operators.ts";
export type * from "../operations/requests.ts";
export type * from "../operations/sites.ts";
export type * from "../operations/system.ts";
export type * from "../operations/workflows.ts";
export type { ProblemView } from "./problem.ts";
