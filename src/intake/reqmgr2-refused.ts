import type { Form } from "./reading/form.ts";
import { shown } from "./reading/notes.ts";
import { childPath } from "./reading/paths.ts";
import { BACKEND, backendOf, CARRIED, REFUSED_TYPES, REQUEST_TYPES } from "./reqmgr2-fields.ts";
import { CHOICE_KEYS, isEmpty } from "./reqmgr2-input.ts";

/** They would change what is processed or where, and cannot be honoured: refused when they say anything. */
const REFUSED: Readonly<Record<string, string>> = {
  IncludeParents: "jobs cannot be given the parents of their files yet",
  JobExtraMatchRequirements: "conditions of the requestor's own on where jobs run are not passed on",
};

/** Nothing else about such a document matters: it is of a type we cannot take, or another system's. */
export function refuseAltogether(top: Form): boolean {
  const type = top.spot("RequestType");
  const backend = top.spot("wms_backend");
  const word = typeof type?.value === "string" ? type.value : "";
  const why = Object.hasOwn(REFUSED_TYPES, word) ? REFUSED_TYPES[word] : null;
  if (why) type?.problem(`${word} cannot be taken: it ${why}`, REQUEST_TYPES.join(", "));
  const isOther = backendOf(top.row) === "other";
  if (isOther) backend?.problem(`this request is for ${shown(backend.value)}`, BACKEND);
  return isOther || Boolean(why);
}

/** What would change the work is honoured elsewhere or refused here with the reason, never dropped. */
export function refuseReqMgr2(top: Form, steps: readonly Form[]): void {
  for (const form of [top, ...steps]) {
    for (const [key, why] of Object.entries(REFUSED)) {
      const spot = form.spot(key);
      if (spot !== null && !isEmpty(spot.value)) spot.problem(`${why}; such a request cannot be taken`);
    }
  }
  for (const form of steps.slice(1))
    for (const key of ["InputDataset", ...CHOICE_KEYS])
      if (!isEmpty(form.row[key])) form.problem(key, "only the first step can read a dataset");
  if (steps.length > 0 && [top, ...steps].every((form) => form.spot("InputDataset") === null))
    for (const form of [top, steps[0]!])
      for (const key of CHOICE_KEYS)
        if (!isEmpty(form.row[key])) form.problem(key, "chooses among the files of an InputDataset, and there is none");
  for (const key of top.unknownKeys()) {
    if (!/^Skim(Name|Input)?\d+(ConfigCacheID)?$/.test(key)) continue;
    top.knows(key);
    top.problem(key, "skims of an output are not made; take them out and submit them as requests of their own");
  }
  refusePlaceholders(top);
}

/** Templates mark what a person has to fill in. */
function refusePlaceholders(top: Form): void {
  const look = (value: unknown, path: string, isRead: boolean): void => {
    if (typeof value === "string" && value.includes("OVERRIDE-ME")) {
      if (isRead) top.notes.unfilled(path, `is still to be filled in (got ${shown(value)})`);
      else top.notes.warn(path, `is still ${value}; it is carried along, not read`);
    } else if (typeof value === "object" && value !== null) {
      for (const [key, item] of Object.entries(value))
        look(item, childPath(path, Array.isArray(value) ? Number(key) : key), isRead);
    }
  };
  for (const [key, value] of Object.entries(top.row)) look(value, top.pathOf(key), !CARRIED.includes(key));
}
