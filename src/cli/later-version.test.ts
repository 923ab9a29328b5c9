import { expect, test } from "vitest";
import { WorldError } from "../core/base/errors.ts";
import type { Client } from "./client.ts";
import { laterVersion } from "./later-version.ts";

/** Requests, and by what each was superseded. */
const KNOWN: Readonly<Record<string, string | null>> = {
  sweep: "sweep-v2",
  "sweep-v2": "sweep-v3",
  "sweep-v3": null,
  muons_v1_gen: "muons_v2_gen",
  muons_v2_gen: null,
  alone: null,
  // What no server should say.
  round: "about",
  about: "round",
};
const show = async ({ name }: { name: string }) => {
  if (!(name in KNOWN)) throw new WorldError("not-found", name, "there is no such request");
  return { superseded_by_request: KNOWN[name] };
};
const client = { requests: { show } } as unknown as Client;

test.each([
  ["sweep", "sweep has a later version, sweep-v3: this is about sweep itself"],
  ["sweep-v2", "sweep-v2 has a later version, sweep-v3: this is about sweep-v2 itself"],
  ["sweep-v3", null],
  ["muons_v1_gen", "muons_v1_gen has a later version, muons_v2_gen: this is about muons_v1_gen itself"],
  ["alone", null],
  ["round", "round has a later version, about: this is about round itself"],
  ["nobody", null],
])("%s means itself, and a later version is told", async (named, said) => {
  expect(await laterVersion(client, named)).toEqual(said);
});
