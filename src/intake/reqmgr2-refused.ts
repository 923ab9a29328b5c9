import type { Form } from "../reading/form.ts";
import { shown } from "../reading/notes.ts";
import { childPath } from "../reading/paths.ts";
import { CARRIED } from "./reqmgr2-fields.ts";

const BY_BLOCK = "blocks cannot be chosen among yet; choose by RunWhitelist and LumiList";
/** They would change what is processed or where, and cannot be honored: refused when they say anything. */
const REFUSED: Readonly<Record<string, string>> = {
  RunBlacklist: "runs can be chosen, not left out; name those to take in RunWhitelist or LumiList",
  BlockWhitelist: BY_BLOCK,
  BlockBlacklist: BY_BLOCK,
  IncludeParents: "jobs cannot be given the parents of their files yet",
  JobExtraMatchRequirements: "conditions of the requestor's own on where jobs run are not passed on",
};
const SAYS_NOTHING = /^(false|no|0|null|\[\]|\{\})?$/i;
const isEmpty = (value: unknown): boolean =>
  Array.isArray(value) ? value.length === 0 : SAYS_NOTHING.test(String(value ?? "").trim());

/** What would change the work is honored elsewhere or refused here with the reason, never dropped. */
export function refuseReqMgr2(top: Form, steps: readonly Form[]): void {
  for (const form of [top, ...steps]) {
    for (const [key, why] of Object.entries(REFUSED)) {
      const spot = form.spot(key);
      if (spot !== null && !isEmpty(spot.value)) spot.problem(`${why}; such a request cannot be taken`);
    }
  }
  for (const form of steps.slice(1)) form.spot("InputDataset")?.problem("only the first step can read a dataset");
  for (const key of top.unknownKeys()) {
    if (!/^Skim(Name|Input)?\d+(ConfigCacheID)?$/.test(key)) continue;
    top.knows(key);
    top.problem(key, "skims of an output are not made; take them out and hand them in as requests of their own");
  }
  if (top.spot("TrustPUSitelists") !== null && top.flag("TrustPUSitelists", false))
    top.warn("TrustPUSitelists", "is about pileup, which is carried along, not read");
  refusePlaceholders(top);
}

/** Templates mark what a person has to fill in. */
function refusePlaceholders(top: Form): void {
  const look = (value: unknown, path: string, isRead: boolean): void => {
    if (typeof value === "string" && value.includes("OVERRIDE-ME")) {
      if (isRead) top.notes.problem(path, `is still to be filled in (got ${shown(value)})`);
      else top.notes.warn(path, `is still ${value}; it is carried along, not read`);
    } else if (typeof value === "object" && value !== null) {
      for (const [key, item] of Object.entries(value))
        look(item, childPath(path, Array.isArray(value) ? Number(key) : key), isRead);
    }
  };
  for (const [key, value] of Object.entries(top.row)) look(value, top.pathOf(key), !CARRIED.includes(key));
}

/** How many GPUs a job needs: the most that any step asks for. */
export function readGpus(top: Form, steps: readonly Form[]): number {
  let gpus = 0;
  for (const form of [...steps, top]) {
    const need = form.choice("RequiresGPU", ["forbidden", "optional", "required"] as const, "forbidden");
    const kind = form.spot("GPUParams");
    if (need === "optional") form.warn("RequiresGPU", "is optional: the jobs ask for no GPU");
    if (need !== "required") continue;
    gpus = 1;
    if (kind !== null && !isEmpty(kind.value))
      kind.problem("asks for a certain kind of GPU, and only their number can be asked for", "null, to take any GPU");
  }
  return gpus;
}
