import { expect, test, vi } from "vitest";
import { WorldError } from "../core/base/errors.ts";
import type { Client } from "./client.ts";
import { follow, type Notice } from "./follow.ts";

type Answerer = { readonly instance: string; readonly status: string | null };

/** A client whose answers come from one server after the other; `status` null: it does not know the request. */
function clientOf(answers: readonly Answerer[]): Client {
  let at = 0;
  const client = {
    url: "http://here",
    instance: null as string | null,
    system: {
      status: async () => ({ host: "b", started_at: "2026-11-15T11:00:00Z", directories: { data_dir: "/srv/b" } }),
    },
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

/** A client of a request with one job, and what it was asked; it is active for the first two answers. */
function withJob() {
  const asked: string[] = [];
  const request = () => ({
    request_name: "r",
    status: asked.filter((what) => what === "request").length > 1 ? "completed" : "active",
    workflow: { dag_id: "d" },
  });
  const answer = <T>(what: string, value: () => T, afterMs = 0) => {
    return async () => {
      asked.push(what);
      if (afterMs > 0) await new Promise((done) => setTimeout(done, afterMs));
      return value();
    };
  };
  const client = {
    instance: "a",
    requests: { show: answer("request", request) },
    dags: {
      show: answer("dag", () => ({ status: "submitted", work_units: { total: 1 } })),
      units: answer("jobs", () => ({ items: [{}] }), 20),
    },
  };
  return { client: client as unknown as Client, asked };
}
const QUIET = { update() {}, close() {} };

test("a look at jobs takes its time; an end in the long pause after it is seen at once", async () => {
  const { client, asked } = withJob();
  await follow(client, ["r"], QUIET, { everyMs: 1, signal: new AbortController().signal });
  expect(asked).toEqual(["request", "dag", "jobs", "request", "request", "dag", "jobs"]);
});

test("where nobody sees how far it is, jobs are asked for at the end only", async () => {
  const { client, asked } = withJob();
  await follow(client, ["r"], QUIET, { everyMs: 1, signal: new AbortController().signal, endOnly: true });
  expect(asked).toEqual(["request", "request", "dag", "jobs"]);
});

test("an answer that took long is no reason to look later when only the end is asked for", async () => {
  let clockMs = 0;
  const clock = vi.spyOn(performance, "now").mockImplementation(() => (clockMs += 0.5));
  const active = { instance: "a", status: "active" };
  const show = { update() {}, close() {} };
  const options = { everyMs: 1, signal: new AbortController().signal, endOnly: true };
  const client = clientOf([active, active, { ...active, status: "completed" }]);
  const answer = client.requests.show;
  vi.spyOn(client.requests, "show").mockImplementation((request) => {
    clockMs += 1000;
    return answer(request);
  });
  try {
    expect(await follow(client, ["r"], show, options)).toMatchObject([{ request: { status: "completed" } }]);
  } finally {
    clock.mockRestore();
  }
}, 3000);
