import type { sessions } from "../../session.ts";
import type { Call, Runs } from "../call.ts";

const whoFields = ({ ports, actor }: Call, session: { readonly name: string; readonly until: Date } | null) => {
  const name = session?.name ?? (actor || null);
  return {
    ...ports.info,
    actor: name,
    role: name === null ? ("reader" as const) : ("operator" as const),
    signedInUntil: session?.until ?? null,
    needsToken: ports.requireAuthForReads ?? false,
    at: ports.clock.now(),
    zone: Intl.DateTimeFormat().resolvedOptions().timeZone,
  };
};

export const sessionRuns: Runs<typeof sessions> = {
  whoami: async (_, call) => whoFields(call, await call.ports.sessions.of(call.request)),

  async signIn({ token }, call) {
    const { header, ...session } = await call.ports.sessions.signIn(token, call.request);
    call.reply.header("set-cookie", header);
    return whoFields(call, session);
  },

  async signOut(_, call) {
    const { isOut, header } = await call.ports.sessions.signOut(call.request);
    call.reply.header("set-cookie", header);
    return { signedOut: isOut };
  },
};
