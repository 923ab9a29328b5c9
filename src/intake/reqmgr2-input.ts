import type { BlockChoice, InputSpec } from "../core/work.ts";
import { readDataset } from "../kinds/process/read-input.ts";
import { readMask } from "../kinds/process/read-mask.ts";
import type { Form } from "./reading/form.ts";
import { parseDocument } from "./reading/parse-document.ts";
import { distinct, isRow, keysIn, Spot } from "./reading/values.ts";

/** What chooses among the files of a dataset; only who reads one can have it. */
export const CHOICE_KEYS = keysIn("RunWhitelist RunBlacklist BlockWhitelist BlockBlacklist LumiList");

const SAYS_NOTHING = /^(false|no|0|null|\[\]|\{\})?$/i;
/** Defaults that ReqMgr2 writes into every document. */
export const isEmpty = (value: unknown): boolean =>
  Array.isArray(value)
    ? value.length === 0
    : isRow(value)
      ? Object.keys(value).length === 0
      : SAYS_NOTHING.test(String(value ?? "").trim());

/** In the first step, else at the top: documents that ReqMgr2 gives out repeat some keys there. */
export function readReqMgr2Input(dataset: Spot, first: Form, top: Form): InputSpec | null {
  const given = (key: string): Spot | null =>
    [first, top].map((form) => form.spot(key)).find((spot) => spot && !isEmpty(spot.value)) ?? null;
  const list = (key: string): readonly Spot[] => given(key)?.list(100_000, true) ?? [];
  const lumis = given("LumiList");
  const mask = readMask(
    list("RunWhitelist"),
    lumis && new Spot(lumis.path, jsonOf(lumis.value), lumis.notes),
    list("RunBlacklist"),
  );
  return readDataset(dataset, mask, readBlocks(dataset.value, list("BlockWhitelist"), list("BlockBlacklist")));
}

function readBlocks(dataset: unknown, allowed: readonly Spot[], denied: readonly Spot[]): BlockChoice | undefined {
  if (allowed.length + denied.length === 0) return undefined;
  const start = `${typeof dataset === "string" ? dataset : ""}#`;
  const isBlock = (value: unknown): value is string =>
    typeof value === "string" && value.startsWith(start) && /^[A-Za-z0-9._-]{1,100}$/.test(value.slice(start.length));
  const refuse = (spot: Spot) => spot.mustBe("a block of the input", `${start}id`);
  const deny = distinct(denied, isBlock, refuse);
  const allow = distinct(allowed, isBlock, refuse);
  const both = allow.find((block) => deny.includes(block));
  if (both) allowed[0]!.problem(`${both} is both chosen and left out`);
  return { allow, deny };
}

/** ReqMgr2 takes a map, or the same as JSON text. */
function jsonOf(value: unknown): unknown {
  const parsed = typeof value === "string" ? parseDocument(value || "{}", "json") : null;
  return parsed?.ok ? parsed.value : value;
}
