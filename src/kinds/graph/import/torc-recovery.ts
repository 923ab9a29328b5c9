import { stringify } from "../../../core/base/json.ts";
import type { Form } from "../../../intake/reading/form.ts";
import { travelPath } from "../../../intake/reading/paths.ts";
import { isRow, type Row } from "../../../intake/reading/values.ts";
import { plainName } from "./plain-name.ts";
import { mapsIn } from "./translation.ts";

interface Recovery {
  /** Our `recovery`; {}: nothing of it. */
  readonly recovery: Row;
  /** Their name → ours. */
  readonly handlers: ReadonlyMap<string, string>;
  /** Scripts that stood in the document as text. */
  readonly attachments: Row;
}

/** `failure_handlers: [{name, rules}]`. One that no job names does nothing there, and here would be for all: it is left out. */
export function readRecovery(top: Form, used: ReadonlySet<unknown>, places: Map<string, string>): Recovery {
  const handlers = new Map<string, string>();
  const written: Row[] = [];
  const attachments: Record<string, Row> = {};
  for (const form of mapsIn(top, "failure_handlers", 100)) {
    const name = form.needed("name")?.text() ?? "";
    const rules = form.list("rules", 100).map(({ value }) => value);
    form.close();
    if (!used.has(name)) {
      form.warn("name", `no job names ${JSON.stringify(name)}; it is left out`);
      continue;
    }
    if (handlers.has(name)) form.problem("name", `${JSON.stringify(name)} is there twice`);
    places.set(`recovery.handlers[${written.length}]`, form.path);
    handlers.set(name, plainName(name));
    written.push({ name: plainName(name), rules: rules.map((rule) => withScript(rule, attachments)) });
    if (stringify(rules).includes("recovery_script"))
      form.warn("rules", "recovery scripts find WMS2_RETURN_CODE, WMS2_JOB_NAME and the like, not TORC_…");
  }
  const isPending = top.flag("use_pending_failed", false);
  const recovery = {
    ...(isPending && { pending_classification: true }),
    ...(written.length > 0 && { handlers: written }),
  };
  return { recovery, handlers, attachments };
}

/** A script is a file beside the document, or a line for bash, which then travels as a file. */
function withScript(rule: unknown, attachments: Record<string, Row>): unknown {
  const text = isRow(rule) && typeof rule.recovery_script === "string" ? rule.recovery_script.trim() : "";
  if (!isRow(rule) || text === "") return rule;
  const file = /[./]/.test(text) ? travelPath(text) : null;
  if (file !== null) return { ...rule, recovery_script: `./${file}` };
  const content = Buffer.from(`#!/bin/bash\n${text}\n`).toString("base64");
  const known = Object.keys(attachments).find((path) => attachments[path]!.content_base64 === content);
  const path = known ?? `recovery-${Object.keys(attachments).length + 1}.sh`;
  attachments[path] = { content_base64: content, executable: true };
  return { ...rule, recovery_script: `./${path}` };
}
