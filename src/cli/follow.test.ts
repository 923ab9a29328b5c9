import { expect, test } from "vitest";
import { WorldError } from "../base/errors.ts";
import type { Client } from "./client.ts";
import { follow, type Notice } from "./follow.ts";

type Answerer = { readonly instance: string; readonly status: string | null };

/** A client whose answers come from one server after the other; `status` null: it does not know the request. */
function clientOf(answers: readonly Answerer[]): Client {
  let at = 0;
  const client = {
    url: "http://here",
    instance: null as string | null,
    system: { status: async () => ({ host: "b", started_at: "2026-11-15T11:00:00Z", places: { data_dir: "/srv/b" } }) },
    requests: { show },
  };
  async function show() {
    const { instance, status } = answers[Math.min(at++, answers.length - 1)]!;
    client.instance = instance;
    if (status === null) throw new WorldError("not-found", "r", "there is no request r");
    return { request_name: "r", status, workflow: null };
  }
  return client as unknown as Client;
}

async function told(answers: readonly Answerer[]): Promise<(string | null)[]> {
  const words: (string | null)[] = [];
  const show = { update: (_: unknown, notice: Notice | null) => void words.push(notice?.message ?? null), close() {} };
  await follow(clientOf(answers), ["r"], show, { everyMs: 1, signal: new AbortController().signal });
  return words;
}
const OTHER =
  "the server at http://here is another one than before, or was started again: on b since 2026-11-15 11:00:00, data in /srv/b";

test("one server all the time: nothing to say", async () => {
  const same = { instance: "a", status: "active" };
  expect(await told([same, same, { ...same, status: "completed" }])).toEqual([null, null, null]);
});

test("another server that knows the request is told of, and watched on", async () => {
  expect(
    await told([
      { instance: "a", status: "active" },
      { instance: "b", status: "active" },
      { instance: "b", status: "completed" },
    ]),
  ).toEqual([null, OTHER, OTHER]);
});

test("another server that does not know the request: an error that says who answers", async () => {
  const answers = [
    { instance: "a", status: "active" },
    { instance: "b", status: null },
  ];
  await expect(told(answers)).rejects.toMatchObject({
    code: "not-found",
    message: `there is no request r: ${OTHER}`,
    hint: expect.stringContaining("--data-dir"),
  });
});
