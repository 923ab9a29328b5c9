import { childPath } from "./reading/paths.ts";
import { isRow, type Row } from "./reading/values.ts";
import { isOurs, MARKERS, NAME_PARTS } from "./reqmgr2-fields.ts";

/** A request, and where in the document it stands. */
interface Found {
  readonly row: Row;
  readonly path: string;
}

export const isReqMgr2 = (row: Row): boolean => MARKERS.some((key) => Object.hasOwn(row, key)) && !isOurs(row);

/**
 * The requests in a document. ReqMgr2's come in many wrappings: {"result": [doc]}, {"result": [{"name": doc}]},
 * {"name": doc}, [doc], and templates {createRequest, assignRequest}. Our own form is never wrapped.
 */
export function unwrap(document: unknown): readonly Found[] {
  const found = within(document, "", 0);
  return found.length === 0 && isRow(document) ? [{ row: document, path: "" }] : found;
}

function within(value: unknown, path: string, depth: number): readonly Found[] {
  if (depth > 4) return [];
  if (Array.isArray(value)) return all(value.map((item, index) => within(item, childPath(path, index), depth + 1)));
  if (!isRow(value) || isOurs(value)) return [];
  if (isRow(value.createRequest)) return [{ row: overlaid(value), path }];
  if (isReqMgr2(value)) return [{ row: value, path }];
  const wrapped = Array.isArray(value.result) ? { result: value.result } : value;
  return all(Object.entries(wrapped).map(([key, item]) => within(item, childPath(path, key), depth + 1)));
}

/** A wrapping holds requests and nothing else. */
const all = (found: readonly (readonly Found[])[]): readonly Found[] =>
  found.every((each) => each.length > 0) ? found.flat() : [];

/** What a template assigns stands above what it creates, in every step; what was set beside both, above all. */
function overlaid({ createRequest, assignRequest, ...beside }: Row): Row {
  const assigned = { ...(isRow(assignRequest) ? assignRequest : {}), ...beside };
  const created = Object.entries(createRequest as Row).map(([key, value]) => {
    if (!isRow(value) || typeof value.StepName !== "string") return [key, value];
    const name = value.StepName;
    const isAssigned = (part: string) =>
      NAME_PARTS.includes(part) && Object.hasOwn(assigned, part) && (!isRow(assigned[part]) || name in assigned[part]);
    return [key, Object.fromEntries(Object.entries(value).filter(([part]) => !isAssigned(part)))];
  });
  return { ...Object.fromEntries(created), ...assigned };
}
