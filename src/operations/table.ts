import { actions } from "./actions.ts";
import { attempts } from "./attempts.ts";
import { blocks } from "./blocks.ts";
import { dagActions } from "./dag-actions.ts";
import { dags } from "./dags.ts";
import { imports } from "./imports.ts";
import type { Operation } from "./operation.ts";
import { alerts, audit, tokens } from "./operators.ts";
import { requests } from "./requests.ts";
import { sites } from "./sites.ts";
import { admission, system } from "./system.ts";
import { workflows } from "./workflows.ts";

/** Everything the API can do, by subject. */
export const OPERATIONS = {
  requests,
  imports,
  actions,
  attempts,
  workflows,
  blocks,
  dags: { ...dags, ...dagActions },
  admission,
  sites,
  alerts,
  audit,
  tokens,
  system,
} as const satisfies Record<string, Record<string, Operation>>;
export type Operations = typeof OPERATIONS;
