import { NAME_PATTERN, NAME_RULE, type RequestName } from "../domain/names.ts";
import type { RequestFile, RequestSpec } from "../domain/request.ts";
import type { Form } from "./form.ts";
import { shown } from "./notes.ts";
import { readAttachments } from "./read-attachments.ts";
import { readIdentity, readMetadata, readUrgency } from "./read-identity.ts";
import { readInput } from "./read-input.ts";
import { readRetries, readSites, readThrottles, readUnit } from "./read-limits.ts";
import { readOutputs } from "./read-outputs.ts";
import { readRecovery } from "./read-recovery.ts";
import { readResources } from "./read-resources.ts";
import {
  checkSplitAgainstInput,
  GENERATION_KEYS,
  readGeneration,
  readSplit,
  refuseGenerationKeys,
} from "./read-split.ts";
import { readSteps } from "./read-steps.ts";
import type { Reading } from "./reading.ts";
import { OWN_NAME_OF } from "./reqmgr2-fields.ts";
import { didYouMean } from "./spelling.ts";

const KINDS = ["process", "generate"] as const;
const LATER = ["graph", "segments"];

/** Our own form, with the names of 003's API as synonyms. */
export function readOwn(top: Form, reading: Reading): { spec: RequestSpec; files: readonly RequestFile[] } {
  const { notes } = reading;
  const identity = readIdentity(top, reading, { priority: 100_000, group: "users" });
  const kind = readKind(top);
  const input = readInput(top, reading);
  const read = readSplit(top, kind);
  if (kind === "generate") {
    const stray = top.spot("input") ?? top.spot("input_dataset");
    if (stray !== null) notes.problem(stray.path, "belongs to kind: process, and this is kind: generate");
  } else {
    refuseGenerationKeys(top);
    if (top.spot("input") === null && top.spot("input_dataset") === null) {
      top.missing("input", '{files: "data/*.csv"}, {directory}, {list} or {dataset}; or kind: generate with events');
    }
    checkSplitAgainstInput(read, input, top);
  }
  top.knows(...GENERATION_KEYS);
  const generated = kind === "generate" ? readGeneration(top, read) : null;
  const steps = readSteps(top, kind, reading);
  const outputs = readOutputs(top, steps, reading);
  const resources = readResources(top, reading);
  const spec: RequestSpec = {
    ...identity,
    kind,
    ...readUrgency(top, identity.priority),
    input: kind === "process" ? input : null,
    generation: generated?.generation ?? null,
    split: generated?.split ?? read.split,
    steps: steps.steps,
    outputs,
    resources,
    sites: readSites(top),
    unit: readUnit(top),
    retries: readRetries(top),
    throttles: readThrottles(top),
    adaptive: top.flag("adaptive", false),
    recovery: readRecovery(top, reading),
    cleanupPolicy: top.choice("cleanup_policy", ["keep_until_replaced", "immediate_cleanup"], "keep_until_replaced"),
    previousVersion: readPreviousVersion(top, identity.name),
    metadata: readMetadata(top),
  };
  const files = readAttachments(top, outputs, reading);
  refuseImport(top);
  top.close(OWN_NAME_OF);
  return { spec, files };
}

/** Without `kind`: what has events but no input is generated, everything else processed. */
function readKind(top: Form): "process" | "generate" {
  const hasInput = top.spot("input") !== null || top.spot("input_dataset") !== null;
  const fallback = top.spot("events") !== null && !hasInput ? "generate" : "process";
  const spot = top.spot("kind");
  if (spot === null) return fallback;
  const kind = KINDS.find((one) => one === spot.value);
  if (kind !== undefined) return kind;
  if (LATER.includes(String(spot.value)))
    top.notes.problem(spot.path, `${shown(spot.value)} comes later`, KINDS.join(", "));
  else {
    const hint = typeof spot.value === "string" ? didYouMean(spot.value, KINDS) : "";
    top.notes.problem(spot.path, `${shown(spot.value)} is not a known kind${hint}`, KINDS.join(", "));
  }
  return fallback;
}

export function readPreviousVersion(top: Form, name: RequestName): RequestName | null {
  const key = ["previous_version", "previous_version_request"];
  const spot = top.spot(key);
  const text = top.text(key, "", NAME_PATTERN, NAME_RULE);
  if (spot !== null && text === name) top.notes.problem(spot.path, "names this request itself");
  return text === "" ? null : (text as RequestName);
}

/** 003 §7.2 imports a request from ReqMgr2 by name; a document is what we read. */
function refuseImport(top: Form): void {
  const spot = top.spot("source");
  if (spot !== null) top.notes.problem(spot.path, "importing by name comes later; submit the ReqMgr2 document itself");
}
