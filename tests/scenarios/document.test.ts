import { expect, test } from "vitest";
import { parse } from "yaml";
import type { RequestName } from "../../src/core/names.ts";
import { hashOf } from "../../src/operations/http/tokens.ts";
import { documentOf, KIND_NAMES, NAME } from "../support/any-state.ts";
import { AUTH, fakeApi, TOKEN } from "../support/api-fakes.ts";
import { makeWorld } from "../support/world.ts";

/** A clone begins with the document as it was submitted: of every kind, its attachments and all, and again of the next version. */
test.each(KIND_NAMES)(
  "%s: the document comes back as it was sent, and is the next version's once corrected",
  async (kind) => {
    const world = await makeWorld();
    const { store, engine, commands, ports } = world;
    await store.settings.addToken({ sha256: hashOf(TOKEN), name: "ann", at: ports.clock.now() });
    const { app } = fakeApi({ store, engine, commands, clock: ports.clock });
    const read = async (name: string) =>
      (await app.inject({ url: `/api/v1/requests/${name}/document`, headers: AUTH })).json().document as string;
    const attachments = { "x.sh": { content_base64: "IyEvYmluL3NoCg==" } };
    const document = { ...documentOf(kind), attachments };
    const sent = await app.inject({ method: "POST", url: "/api/v1/requests", headers: AUTH, payload: document });
    expect(sent.statusCode, sent.body).toBe(201);
    const text = await read(NAME);
    expect(parse(text)).toEqual(document);
    const by = { actor: "ann", version: null, dryRun: false };
    await commands.act(NAME, { action: "abort", reason: "wrong" }, by);
    await world.pass();
    const from = `${text}priority: 7\n`;
    expect(await commands.act(NAME, { action: "restart", reason: "right now", from }, by)).toMatchObject({
      kind: "done",
    });
    const next = `${NAME}-v2` as RequestName;
    expect((await world.request(next)).priority).toBe(7);
    expect(parse(await read(next))).toEqual({ ...document, name: next, priority: 7 });
    await commands.act(next, { action: "abort", reason: "again" }, by);
    await world.pass();
    await commands.act(next, { action: "restart", reason: "as it was" }, by);
    expect(parse(await read(`${NAME}-v3`))).toMatchObject({ name: `${NAME}-v3`, priority: 7 });
    expect((await app.inject({ url: "/api/v1/requests/nobody/document", headers: AUTH })).statusCode).toBe(404);
  },
);
