import { WorldError } from "../core/base/errors.ts";
import type { TokenView } from "../operations/operators.ts";
import { command, listing } from "./command.ts";
import type { Columns } from "./view/table.ts";
import { stamp } from "./view/text.ts";

const TOKENS: Columns<TokenView> = [
  ["name", ({ name }) => name],
  ["id", ({ id }) => id],
  ["since", ({ created_at }) => stamp(created_at, "minute")],
];

export const addTokens = command("tokens", {
  about: "operator tokens by name (who may change things): add one, withdraw one",
  arguments: {
    "[verb]": { about: "what to do", choices: ["list", "add", "remove"], fallback: "list" },
    "[name]": "the token; to remove one, its id will do, too",
  },
  examples: [
    "wms2 tokens",
    "wms2 tokens add alice > alice.token     the token itself, shown only now",
    "wms2 tokens remove alice",
  ],
  more: "Whoever has a token can run programs as the server does (docs/security.md). The audit names the token that acted.",
  async run({ client }, verb: "list" | "add" | "remove", name: string | undefined) {
    if (verb === "list") return listing(TOKENS, (await client.tokens.list()).items, "no tokens");
    if (name === undefined)
      throw new WorldError("bad-usage", "tokens", `name the token to ${verb}`, { hint: `wms2 tokens ${verb} NAME` });
    if (verb === "remove") {
      const removed = await client.tokens.remove({ id: name });
      return { json: removed, note: `${name} is withdrawn; other servers of this database follow within 10 s` };
    }
    const made = await client.tokens.add({ name });
    const note = `this is the token of ${name}: keep it in a file of mode 0600; it is not shown again`;
    return { json: made, page: () => made.token, note };
  },
});
