import { stringify } from "../../../core/base/json.ts";
import { Form } from "../../../intake/reading/form.ts";
import { isRow, type Row } from "../../../intake/reading/values.ts";
import { TorcReferences } from "./torc-references.ts";
import { fillAll, ONE_ROW, ownText, type Rows, rowsOf, TOO_MUCH, unknownNames } from "./torc-texts.ts";
import type { TorcWorld } from "./torc-world.ts";

/** A job of theirs as one of ours with the same parameters, or where that cannot be said as a job for each row. */
export function translateJob(form: Form, world: TorcWorld): readonly Row[] {
  const { each, written } = world.parameters.of(form);
  warnOfIgnored(form);
  const rows = rowsOf(each);
  const { job, needsRows } = oneJob(form, rows, written, world);
  form.close();
  if (!needsRows) return [job];
  if (!world.room.has(stringify(form.row), rows)) {
    form.notes.problem(form.path, TOO_MUCH);
    return [job];
  }
  return Array.from({ length: rows.count }, (_, row) => {
    const filled = fillAll(form.row, rows, row) as Row;
    return oneJob(new Form(filled, form.path, form.notes), ONE_ROW, {}, world).job;
  });
}

function warnOfIgnored(form: Form): void {
  form.knows("supports_termination");
  form
    .spot("label")
    ?.problem("is not known here: any place that fits runs the job", "sites: {allow: […]} for the whole graph");
  if (form.spot("scheduler")) form.warn("scheduler", "has no effect here");
  const stdio = form.spot("stdio");
  if (stdio && !(isRow(stdio.value) && stdio.value.mode === "separate" && stdio.value.delete_on_success !== true))
    form.warn("stdio", "has no effect: stdout and stderr are kept apart, and stay");
}

function oneJob(form: Form, rows: Rows, written: Row, world: TorcWorld): { job: Row; needsRows: boolean } {
  const { columns } = rows;
  const references = new TorcReferences(form, rows, world);
  const name = textAt(form, "name");
  const command = textAt(form, "command");
  const script = form.spot("invocation_script") ? `${textAt(form, "invocation_script")} ` : "";
  if (world.isStrict) refuseUnknown(form, { name, command }, rows);
  const run = references.command(script + command);
  const after = [...references.before(), ...references.writers()];
  const reads = references.files("input");
  const makes = references.files("output");
  const handler = form.spot("failure_handler")?.value;
  const requirement = form.spot("resource_requirements")?.value;
  const env = Object.entries(form.section("env").row);
  const priority = form.integer("priority", { min: -1e6, max: 1e6 }, 0);
  const job = {
    name: ownText(name, columns),
    ...written,
    run: ["bash", "-c", run],
    ...(after.length > 0 && { after: shortly(after) }),
    ...(reads.length > 0 && { reads: shortly(reads) }),
    ...(makes.length > 0 && { makes: shortly(makes) }),
    ...(!form.flag("cancel_on_blocking_job_failure", true) && { when: "ended" }),
    ...(requirement !== undefined && { resources: requirement }),
    ...(handler !== undefined && { handler: world.handlers.get(String(handler)) ?? handler }),
    ...(priority !== 0 && { priority }),
    ...(env.length > 0 && {
      env: Object.fromEntries(
        env.map(([key, value]) => [key, typeof value === "string" ? ownText(value, columns) : value]),
      ),
    }),
  };
  return { job, needsRows: references.needsRows };
}

function textAt(form: Form, key: string): string {
  const spot = form.needed(key);
  if (spot !== null && typeof spot.value !== "string") spot.mustBe("text");
  return typeof spot?.value === "string" ? spot.value : "";
}

function refuseUnknown(form: Form, texts: Readonly<Record<string, string>>, { columns }: Rows): void {
  for (const [key, text] of Object.entries(texts))
    for (const unknown of unknownNames(text, columns))
      form.problem(key, `{${unknown}} is neither a variable nor a parameter`);
}

function shortly(texts: readonly string[]): unknown {
  const distinct = [...new Set(texts)];
  return distinct.length === 1 ? distinct[0] : distinct;
}
