import { jsonValue } from "../../../core/base/json.ts";
import { describeEvidence } from "../../../core/hold-evidence.ts";
import { releaseFields } from "../../../core/release.ts";
import type { OutputSpec, RequestRecord, RequestSpec } from "../../../core/request.ts";
import { type RequestStatus, statusMeaning } from "../../../core/request-status.ts";
import { type InputSpec, inputLocation, makesEvents, type Work } from "../../../core/work.ts";
import { type Kinds, kindOf } from "../../../kinds/kind.ts";
import type { RequestChoice } from "../../../store/port.ts";
import { ACTION, offeredActions, type PlanPreview } from "../../handlers/port.ts";
import { asList, given } from "../cursor.ts";

interface Wanted {
  readonly status?: RequestStatus | readonly RequestStatus[] | undefined;
  readonly hold?: string | readonly string[] | undefined;
  readonly wait?: string | readonly string[] | undefined;
  readonly name?: string | undefined;
  readonly [field: string]: unknown;
}

/** Which requests, as the store is asked for them: the same for a list and for a bulk action. */
export const choiceOf = ({ status, hold, wait, name, ...rest }: Wanted): RequestChoice =>
  given({ ...rest, status: asList(status), holdCode: asList(hold), waitCode: asList(wait), nameContains: name });

/** The fields of a request that its list shows. */
export const requestRow = ({ spec, ...record }: RequestRecord) => ({
  ...record,
  requestName: spec.name,
  kind: spec.work.kind,
  requestor: spec.requestor,
  campaign: spec.campaign,
});

/** From its record, and from its spec what the record does not say itself. */
export const requestFields = (record: RequestRecord) => {
  const { spec } = record;
  const { resources, sites } = spec;
  const { kind, input, split } = spec.work;
  return {
    ...spec,
    ...record,
    kind,
    requestName: spec.name,
    statusMeaning: statusMeaning(record),
    inputDataset: input ? inputLocation(input) : null,
    memoryMb: resources.memoryMb,
    timePerEventSec: resources.secondsPerEvent,
    sizePerEventKb: resources.kbPerEvent,
    siteWhitelist: sites.allow,
    siteBlacklist: sites.deny,
    splittingAlgo: split?.algorithm ?? null,
    splittingParams: split
      ? { files_per_job: split.filesPerJob, events_per_job: split.eventsPerJob, lumis_per_job: split.lumisPerJob }
      : {},
    payloadConfig: spec.metadata,
    previousVersionRequest: spec.previousVersion,
    supersededByRequest: record.supersededBy,
    hold: record.hold && { ...record.hold, details: describeEvidence(record.hold) },
    modifications: changed(record.modifications),
    allowedActions: offeredActions(record).map((action) => ({ action, meaning: ACTION[action].meaning })),
    spec: specFields(spec),
  };
};

/** What a release changed, by the names of the API. */
function changed(modifications: RequestRecord["modifications"]): Record<string, unknown> | null {
  if (!modifications) return null;
  const all = releaseFields.map(([name, { key }]) => [name, modifications[key]] as const);
  return Object.fromEntries(all.filter(([, value]) => value !== null && !(Array.isArray(value) && value.length === 0)));
}

/** The work stands where clients have always found it: input, splitting, the events it generates. */
export const specFields = ({ work, ...spec }: RequestSpec) => ({
  ...spec,
  input: work.input ? inputFields(work.input) : null,
  secondary: work.secondary ?? [],
  cms: spec.cms ? (onWire(spec.cms) as Record<string, unknown>) : null,
  split: work.split ? { splitOnRun: true, haltOnFileBoundaries: false, ...work.split } : null,
  sites: { trust: false, ...spec.sites },
  generation: makesEvents(work) ? { lumis: "per_job" as const, ...work } : null,
  outputs: spec.outputs.map(outputFields),
});

const inputFields = (input: InputSpec) => ({
  ...input,
  at: inputLocation(input),
  onMissing: input.onMissing ?? ("hold" as const),
  events: "events" in input ? { perFile: null, ...input.events } : null,
  mask: { withoutRuns: [], ...input.mask },
  blocks: ("blocks" in input && input.blocks) || null,
});

const outputFields = ({ merge, ...output }: OutputSpec) => ({
  ...output,
  merge: merge.how,
  mergeArgv: merge.how === "command" ? merge.argv : [],
});

/** What is to be done: in one line, and field by field under their names on the wire, whatever its kind. */
export const workFields = (work: Work, kinds: Kinds) => ({
  kind: work.kind,
  summary: kindOf(kinds, work).describe(work),
  ...(onWire(work) as object),
});
/** Maps whose keys are people's own words. */
const OWN_KEYS: readonly string[] = ["env", "parameters", "columns"];

function onWire(value: unknown): unknown {
  if (typeof value === "bigint") return jsonValue(value);
  if (Array.isArray(value)) return value.map(onWire);
  if (typeof value !== "object" || value === null) return value;
  const snake = (key: string) => key.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
  const fields = Object.entries(value).map(([key, item]) => [snake(key), OWN_KEYS.includes(key) ? item : onWire(item)]);
  return Object.fromEntries(fields);
}

/** The first round in numbers, or why there would be none. */
export const planFields = (preview: PlanPreview) =>
  preview.ok ? { plan: preview.value, refusal: null } : { plan: null, refusal: preview.error };
