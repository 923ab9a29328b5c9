import { createHash, randomBytes } from "node:crypto";
import type { Clock } from "../../core/base/clock.ts";
import { WorldError } from "../../core/base/errors.ts";
import type { Store } from "../../store/port.ts";

/** A token that nobody can guess, as it is given to a person once. */
export const newToken = (): string => randomBytes(24).toString("base64url");
export const hashOf = (token: string): string => createHash("sha256").update(token).digest("hex");

type Kept = Awaited<ReturnType<Store["settings"]["listTokens"]>>[number];
const withId = (token: Kept) => ({ ...token, id: token.sha256.slice(0, 12) });

export type Tokens = ReturnType<typeof makeTokens>;
/** How long a token that was good is not looked up again: another server may have withdrawn it. */
const KEEP_MS = 10_000;

/** Who may change things: kept as hashes, each under a name; the audit tells who added and withdrew them. */
export function makeTokens({ settings, audit }: Pick<Store, "settings" | "audit">, clock: Clock) {
  const known = new Map<string, { name: string; untilMs: number }>();
  const note = (actor: string, action: string, token: Kept) => {
    const { name: subject, id } = withId(token);
    return audit.add({ at: clock.now(), actor, action, subject, reason: "", detail: { id }, outcome: "done" });
  };
  return {
    list: async () => (await settings.listTokens()).map(withId),

    /** null: unknown it. */
    async nameOf(token: string): Promise<string | null> {
      const sha256 = hashOf(token);
      const nowMs = clock.now().getTime();
      const kept = known.get(sha256);
      if (kept && nowMs < kept.untilMs) return kept.name;
      known.delete(sha256);
      const found = await settings.findToken(sha256);
      if (found) known.set(sha256, { name: found.name, untilMs: nowMs + KEEP_MS });
      return found?.name ?? null;
    },

    async add(name: string, actor: string) {
      if ((await settings.listTokens()).some((other) => other.name === name))
        throw new WorldError("conflict", name, `there is a token ${name} already`, { hint: "choose another name" });
      const token = newToken();
      const made = { sha256: hashOf(token), name, createdAt: clock.now() };
      await settings.addToken({ ...made, at: made.createdAt });
      await note(actor, "add-token", made);
      return { ...withId(made), token };
    },

    async remove(id: string, actor: string) {
      const meant = theOne(id, await settings.listTokens());
      if (!(await settings.removeToken(meant.sha256)))
        throw new WorldError("conflict", id, `${meant.name} is the only token`, { hint: "add another one first" });
      known.delete(meant.sha256);
      await note(actor, "remove-token", meant);
      return withId(meant);
    },
  };
}

function theOne(id: string, tokens: readonly Kept[]): Kept {
  const [found, ...more] = tokens.filter((token) => token.name === id || withId(token).id === id);
  const hint = "see names and ids with: wms2 tokens";
  if (found === undefined) throw new WorldError("not-found", id, `there is no token ${id}`, { hint });
  if (more.length > 0) throw new WorldError("conflict", id, `${more.length + 1} tokens are named ${id}`, { hint });
  return found;
}
