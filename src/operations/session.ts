import { z } from "zod";
import { changes, itemErrors, problemAnswer, reads } from "./operation.ts";
import { named, time } from "./wire.ts";

const whoamiSchema = named("Whoami", {
  actor: z.string().nullable().describe("The name of the token; null: nobody has said who they are"),
  role: z.enum(["reader", "operator"]).describe("operator: may change things"),
  signed_in_until: time.nullable().describe("When the session of a browser ends; null: there is none"),
  needs_token: z.boolean().describe("Even reading needs a token here"),
  version: z.string(),
  instance: z.string(),
  host: z.string(),
  at: time.describe("The clock of the server"),
  zone: z.string().describe("The time zone of the server, by its IANA name"),
});

const signInSchema = named("SignIn", {
  token: z.string().min(1).max(500).describe("an operator token; it is never put into an address"),
});

const session = {
  ...changes("POST", "/session", "Sign a browser in: the answer sets a cookie that stands for the token", {
    body: signInSchema,
    answers: { 200: whoamiSchema, ...itemErrors, 429: problemAnswer("Too many wrong tokens from this address") },
    note: "The cookie is HttpOnly and SameSite=Strict, and ends after twelve hours or with its token. Changes made with it need the header wms2-desk.",
  }),
  role: "anyone" as const,
};
const signedOut = named("SignedOut", { signed_out: z.boolean() });

/** Who asks, and how a browser says so. */
export const sessions = {
  whoami: reads("/whoami", "Who asks, what they may, and the clock of the server", { answer: whoamiSchema }),
  signIn: session,
  signOut: {
    ...changes("DELETE", "/session", "Sign a browser out", { answers: { 200: signedOut, ...itemErrors } }),
    role: "anyone" as const,
  },
};
