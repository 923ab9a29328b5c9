import { expect, test } from "vitest";
import { WorldError } from "../base/errors.ts";
import type { Client } from "./client.ts";
import { meantVersion } from "./meant-version.ts";

/** Requests, and by what each was superseded. */
const KNOWN: Readonly<Record<string, string | null>> = {
  sweep: "sweep-v2",
  "sweep-v2": "sweep-v3",
  "sweep-v3": null,
  muons_v1_gen: "muons_v2_gen",
  muons_v2_gen: null,
  alone: null,
};
const show = async ({ name }: { name: string }) => {
  if (!(name in KNOWN)) throw new WorldError("not-found", name, "there is no such request");
  return { superseded_by_request: KNOWN[name] };
};
const client = { requests: { show } } as unknown as Client;

test.each([
  ["sweep", "sweep-v3", "sweep has later versions (its first is sweep-v1)"],
  ["sweep-v2", "sweep-v2", null],
  ["sweep-v1", "sweep", null],
  ["muons_v1_gen", "muons_v1_gen", null],
  ["alone", "alone", null],
  ["nobody", "nobody", null],
  ["nobody-v1", "nobody-v1", null],
])("%s means %s", async (named, name, said) => {
  expect(await meantVersion(client, named)).toEqual({ name, said });
});
