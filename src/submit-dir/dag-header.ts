import type { DagPlan } from "../core/plan.ts";
import { bareName } from "./quote.ts";

/** The first line of workflow.dag: what the directory was planned for. */
export const dagHeader = ({ requestName, round, dagId }: Pick<DagPlan, "requestName" | "round" | "dagId">): string =>
  `# wms2 request=${bareName(requestName)} round=${round} dag=${bareName(dagId)}\n`;

/** null: it does not say. */
export function readDagHeader(text: string): { readonly request: string | null; readonly dag: string | null } {
  const line = /^# wms2 .*$/m.exec(text)?.[0] ?? "";
  const named = (key: string): string | null => new RegExp(`\\b${key}=(\\S+)`).exec(line)?.[1] ?? null;
  return { request: named("request"), dag: named("dag") };
}
