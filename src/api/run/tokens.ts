import { z } from "zod";
import { WorldError } from "../../base/errors.ts";
import { idParams, nameText } from "../../operations/inputs.ts";
import { newTokenSchema, tokenListSchema, tokenView } from "../../operations/operators.ts";
import type { SettingStore } from "../../store/port.ts";
import { hashOf, type KnownTokens, newToken } from "../auth.ts";
import type { ApiPorts } from "../ports.ts";
import { changeErrors, itemErrors } from "../problem.ts";
import { type Api, route } from "./api.ts";

type Kept = Awaited<ReturnType<SettingStore["listTokens"]>>[number];

const idOf = ({ sha256 }: Kept): string => sha256.slice(0, 12);
const viewed = (token: Kept) => tokenView({ ...token, id: idOf(token) });

/** Who may change things: a token for each, so that the audit names them and one can be withdrawn alone. */
export function tokenRoutes(app: Api, { store, clock }: ApiPorts, known: KnownTokens): void {
  const note = (actor: string, action: string, token: Kept) => {
    const what = { action, subject: token.name, reason: "", detail: { id: idOf(token) } };
    return store.audit.add({ at: clock.now(), actor, ...what, outcome: "done" });
  };
  const reading = route("The operator tokens, by name", { 200: tokenListSchema, ...itemErrors }, {});
  app.get("/tokens", { config: { guarded: true }, ...reading }, async () => ({
    items: (await store.settings.listTokens()).map(viewed),
  }));

  const body = z.strictObject({ name: nameText });
  const adding = route("A new operator token", { 201: newTokenSchema, ...changeErrors }, { body });
  app.post("/tokens", adding, async ({ body: { name }, actor }, reply) => {
    if ((await store.settings.listTokens()).some((other) => other.name === name))
      throw new WorldError("conflict", name, `there is a token ${name} already`, { hint: "choose another name" });
    const token = newToken();
    const made = { sha256: hashOf(token), name, createdAt: clock.now() };
    await store.settings.addToken({ ...made, at: made.createdAt });
    await note(actor, "add-token", made);
    return reply.code(201).send({ ...viewed(made), token });
  });

  const about = "Withdraw a token, by its id or by a name that only one has";
  const removing = route(about, { 200: tokenListSchema, ...changeErrors }, { params: idParams });
  app.delete("/tokens/:id", removing, async ({ params: { id }, actor }) => {
    const meant = theOne(id, await store.settings.listTokens());
    if (!(await store.settings.removeToken(meant.sha256)))
      throw new WorldError("conflict", id, `${meant.name} is the only token`, { hint: "add another one first" });
    known.forget(meant.sha256);
    await note(actor, "remove-token", meant);
    return { items: [viewed(meant)] };
  });
}

function theOne(id: string, tokens: readonly Kept[]): Kept {
  const [found, ...more] = tokens.filter((token) => token.name === id || idOf(token) === id);
  const hint = "see names and ids with: wms2 tokens";
  if (found === undefined) throw new WorldError("not-found", id, `there is no token ${id}`, { hint });
  if (more.length > 0) throw new WorldError("conflict", id, `${more.length + 1} tokens are named ${id}`, { hint });
  return found;
}
