import { expect, test } from "vitest";
import { fakeApi, fakeStore } from "../../../tests/support/api-fakes.ts";
import { at, DAG_ID, heldRequest, sampleRequest } from "../../../tests/support/api-samples.ts";
import { textOf } from "./text-twin.ts";

const TEXT = { accept: "text/plain" };

test("a list is a table of what a person looks for", async () => {
  const { app } = fakeApi({ store: fakeStore([heldRequest(), sampleRequest()]) });
  const answer = await app.inject({ url: "/api/v1/requests", headers: TEXT });
  expect(answer.headers["content-type"]).toBe("text/plain; charset=utf-8");
  const [head, columns, first] = answer.body.split("\n");
  expect(head).toBe("REQUESTS (2)");
  expect(columns).toMatch(/^REQUEST +STATUS +DONE +TOTAL/);
  expect(first).toMatch(/^muons-2026 +held/);
});

test.each([
  "/requests/muons-2026",
  "/status",
  "/sites",
  `/dags/${DAG_ID}/nodes`,
  "/admission/queue",
  "/whoami",
  "/feed",
])("%s reads as text, and stays JSON for programs", async (path) => {
  const { app } = fakeApi();
  const ask = (accept: string) => app.inject({ url: `/api/v1${path}`, headers: { accept } });
  expect((await ask("text/plain")).body).not.toContain("{");
  for (const accept of ["application/json", "*/*", "text/plain, application/json"])
    expect((await ask(accept)).json()).toBeTypeOf("object");
});

test("what went wrong is a problem in any case", async () => {
  const { app } = fakeApi();
  const answer = await app.inject({ url: "/api/v1/requests/unknown", headers: TEXT });
  expect(answer.json()).toMatchObject({ status: 404 });
});

test("nothing that a terminal would obey gets through", async () => {
  const items = [
    { at: at("11:00"), kind: "action" as const, subject: "r", what: "x", actor: null, text: "\u001b[2Jgone" },
  ];
  const { app } = fakeApi({
    store: fakeStore(undefined, { desk: { feed: async () => ({ items, nextCursor: null }) } }),
  });
  const { body } = await app.inject({ url: "/api/v1/feed", headers: TEXT });
  expect(body).toContain("gone");
  expect(body).not.toContain("\u001b");
});

test("fields, parts, lists and long texts each have their form", () => {
  const text = textOf({
    request_name: "muons",
    nothing: null,
    sites: ["north", "south"],
    hold: { code: "no-site", message: "no site is left" },
    moves: [
      { from: null, to: "new", at: "10:00" },
      { from: null, to: "held", at: "11:00" },
    ],
    log: "one\ntwo",
    next_cursor: "abc",
  });
  expect(text).toBe(`request  muons
sites    north, south

HOLD
  code     no-site
  message  no site is left

MOVES (2)
TO    AT
new   10:00
held  11:00

LOG
  one
  two

more: add ?cursor=abc
`);
  expect(textOf({ items: [], next_cursor: null })).toBe("no lines\n");
});
