import { releaseFields } from "../../domain/release.ts";
import type { InputSpec, OutputSpec, RequestRecord, RequestSpec } from "../../domain/request.ts";
import { REQUEST_STATUS } from "../../domain/request-status.ts";
import { ACTION, actionsIn, mayResume, type PlanPreview } from "../../operators/port.ts";

/** The fields of a request that its list shows. */
export const requestRow = ({ spec, ...record }: RequestRecord) => ({
  ...record,
  requestName: spec.name,
  kind: spec.kind,
  requestor: spec.requestor,
  campaign: spec.campaign,
});

/** From its record, and from its spec what the record does not say itself. */
export const requestFields = (record: RequestRecord) => {
  const { spec } = record;
  const { resources, sites, split } = spec;
  return {
    ...spec,
    ...record,
    requestName: spec.name,
    statusMeaning: REQUEST_STATUS[record.status].meaning,
    inputDataset: spec.input && inputPlace(spec.input),
    memoryMb: resources.memoryMb,
    timePerEventSec: resources.secondsPerEvent,
    sizePerEventKb: resources.kbPerEvent,
    siteWhitelist: sites.allow,
    siteBlacklist: sites.deny,
    splittingAlgo: split.algorithm,
    splittingParams: {
      files_per_job: split.filesPerJob,
      events_per_job: split.eventsPerJob,
      lumis_per_job: split.lumisPerJob,
    },
    payloadConfig: spec.metadata,
    previousVersionRequest: spec.previousVersion,
    supersededByRequest: record.supersededBy,
    modifications: changed(record.modifications),
    allowedActions: allowedActions(record),
    spec: specFields(spec),
  };
};

/** What a release changed, by the names of the API. */
function changed(modifications: RequestRecord["modifications"]): Record<string, unknown> | null {
  if (!modifications) return null;
  const all = releaseFields.map(([name, { key }]) => [name, modifications[key]] as const);
  return Object.fromEntries(all.filter(([, value]) => value !== null && !(Array.isArray(value) && value.length === 0)));
}

function allowedActions({ status, hold }: RequestRecord) {
  // A request that belongs to another engine says itself that it can be moved.
  return actionsIn(status)
    .filter((action) => action !== "move")
    .filter((action) => action !== "resume" || mayResume(status, hold?.code ?? null).kind === "allowed")
    .map((action) => ({ action, meaning: ACTION[action].meaning }));
}

const specFields = (spec: RequestSpec) => ({
  ...spec,
  input: spec.input && inputFields(spec.input),
  split: { splitOnRun: true, haltOnFileBoundaries: false, ...spec.split },
  sites: { trust: false, ...spec.sites },
  generation: spec.generation && { lumis: "per_job" as const, ...spec.generation },
  outputs: spec.outputs.map(outputFields),
});

const inputFields = (input: InputSpec) => ({
  ...input,
  at: inputPlace(input),
  onMissing: input.onMissing ?? ("hold" as const),
  events: "events" in input ? { perFile: null, ...input.events } : null,
});

const outputFields = ({ merge, ...output }: OutputSpec) => ({
  ...output,
  merge: merge.how,
  mergeArgv: merge.how === "command" ? merge.argv : [],
});

/** The pattern, path or dataset it names. */
function inputPlace(input: InputSpec): string {
  switch (input.from) {
    case "glob":
      return input.pattern;
    case "dataset":
      return input.dataset;
    case "directory":
    case "list":
      return input.path;
  }
}

/** The first round in numbers, or why there would be none. */
export const planFields = (preview: PlanPreview) =>
  preview.ok ? { plan: preview.value, refusal: null } : { plan: null, refusal: preview.error };
