import { actions } from "./actions.ts";
import { attempts } from "./attempts.ts";
import { blocks } from "./blocks.ts";
import { dagActions } from "./dag-actions.ts";
import { dags } from "./dags.ts";
import { desk } from "./desk.ts";
import { fill } from "./fill.ts";
import { frepp } from "./frepp.ts";
import { imports } from "./imports.ts";
import type { Operation } from "./operation.ts";
import { alerts, audit, tokens } from "./operators.ts";
import { policy } from "./policy.ts";
import { recovery } from "./recovery.ts";
import { requests } from "./requests.ts";
import { results } from "./results.ts";
import { runs } from "./runs.ts";
import { sessions } from "./session.ts";
import { sites } from "./sites.ts";
import { admission, system } from "./system.ts";
import { workflows } from "./workflows.ts";

/** Everything the API can do, by subject. */
export const OPERATIONS = {
  requests,
  runs,
  imports,
  actions,
  attempts,
  results,
  recovery,
  workflows,
  blocks,
  fill,
  frepp,
  dags: { ...dags, ...dagActions },
  admission,
  sites,
  policy,
  alerts,
  audit,
  tokens,
  system,
  sessions,
  desk,
} as const satisfies Record<string, Record<string, Operation>>;
export type Operations = typeof OPERATIONS;
