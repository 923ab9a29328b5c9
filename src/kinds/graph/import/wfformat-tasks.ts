import { Form } from "../../../intake/reading/form.ts";
import { isRow, type Row, type Spot } from "../../../intake/reading/values.ts";
import { MAX_JOBS } from "../limits.ts";

/** A task of any version of WfFormat. */
export interface WfTask {
  readonly id: string;
  /** Where it stands. */
  readonly path: string;
  /** Ids. */
  readonly parents: readonly string[];
  readonly inputs: readonly string[];
  readonly outputs: readonly { readonly id: string; readonly bytes: number }[];
  /** null: unknown. */
  readonly seconds: number | null;
  readonly priority: number;
}

const VERSIONS = ["1.4", "1.5", "1.6"];
const MAX_LIST = 100_000;

/** From 1.5 on what ran is apart from what was to run; in 1.4 each task has both. Keys that say more are not looked at. */
export function readTasks(top: Form): readonly WfTask[] {
  const version = top.spot("schemaVersion");
  if (version && !VERSIONS.includes(String(version.value)))
    version.problem(`version ${JSON.stringify(version.value)} is not known`, VERSIONS.join(", "));
  const workflow = top.section("workflow");
  const specification = isRow(workflow.row.specification) ? workflow.section("specification") : workflow;
  const forms = specification.needed("tasks", "[{id, name, parents, …}]")?.list(MAX_JOBS).flatMap(mapAt) ?? [];
  const ran = byId(workflow.section("execution").list("tasks", MAX_JOBS));
  const sizes = byId(specification.list("files", MAX_LIST));
  const found = forms.map((form) => taskOf(form, ran, (id) => numberOf(sizes.get(id)?.sizeInBytes) ?? 0));
  const ids = idFinder(found);
  const parents = new Map<string, Set<string>>(found.map(({ id }) => [id, new Set()]));
  for (const [index, form] of forms.entries()) {
    const { id } = found[index]!;
    for (const parent of form.list("parents", MAX_LIST).map(ids)) if (parent !== null) parents.get(id)!.add(parent);
    for (const child of form.list("children", MAX_LIST).map(ids)) if (child !== null) parents.get(child)!.add(id);
  }
  return found.map((task) => ({ ...task, parents: [...parents.get(task.id)!] }));
}

const mapAt = (spot: Spot): readonly Form[] => {
  const form = Form.at(spot, "a task", "{id, name, parents, …}");
  return form ? [form] : [];
};

const byId = (spots: readonly Spot[]): ReadonlyMap<string, Row> =>
  new Map(spots.flatMap(({ value }) => (isRow(value) && typeof value.id === "string" ? [[value.id, value]] : [])));

function taskOf(
  form: Form,
  ran: ReadonlyMap<string, Row>,
  sizeOf: (file: string) => number,
): WfTask & { readonly name: string } {
  const id = String(form.row.id ?? form.needed("name")?.value ?? "");
  const run = ran.get(id) ?? form.row;
  const old = form
    .list("files", MAX_LIST)
    .map(({ value }) => value)
    .filter(isRow);
  const linked = (link: string) => old.filter((file) => file.link === link);
  const named = (key: string) => form.list(key, MAX_LIST).map(({ value }) => String(value));
  const idOf = ({ id, name }: Row): string => String(id ?? name);
  return {
    id,
    name: String(form.row.name ?? id),
    path: form.path,
    parents: [],
    inputs: [...named("inputFiles"), ...linked("input").map(idOf)],
    outputs: [
      ...named("outputFiles").map((file) => ({ id: file, bytes: sizeOf(file) })),
      ...linked("output").map((file) => ({ id: idOf(file), bytes: numberOf(file.sizeInBytes) ?? 0 })),
    ],
    seconds: numberOf(run.runtimeInSeconds ?? run.runtime),
    priority: Math.trunc(numberOf(run.priority) ?? 0),
  };
}

const numberOf = (value: unknown): number | null =>
  typeof value === "number" && value >= 0 ? value : typeof value === "bigint" ? Number(value) : null;

/** Tasks are named by id; in 1.4 also by name, where no other has it. */
function idFinder(tasks: readonly { readonly id: string; readonly name: string }[]): (spot: Spot) => string | null {
  const ids = new Set(tasks.map(({ id }) => id));
  const byName = new Map<string, string | null>();
  for (const { id, name } of tasks) byName.set(name, byName.has(name) ? null : id);
  return (spot) => {
    const written = String(spot.value);
    return ids.has(written)
      ? written
      : (byName.get(written) ?? spot.problem(`${JSON.stringify(written)} is not a task`));
  };
}
