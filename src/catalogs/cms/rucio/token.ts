import { type Clock, secondsBetween } from "../../../base/clock.ts";
import type { Credentials } from "../http/question.ts";
import type { HttpService } from "../http/service.ts";
import { isException, readToken, type Token } from "./answers.ts";
import { token as tokenQuestion } from "./questions.ts";

/** So long before it ends a token is not used any more. */
const EARLY_SEC = 300;

/** The token that goes with every question; made anew before it ends, and when the server does not know it any more. */
export function makeRucioToken(auth: HttpService, authUrl: string, account: string, clock: Clock): Credentials {
  let known: Promise<Token> | null = null;
  const renew = (): Promise<Token> => {
    const asked = auth.read(tokenQuestion(authUrl, account), readToken);
    known = asked;
    // A token that could not be had is asked for again by the next caller.
    asked.catch(() => {
      if (known === asked) known = null;
    });
    return asked;
  };
  return {
    async headers(isRejected) {
      const before = known && (await known);
      const isGood = before && !isRejected && secondsBetween(clock.now(), before.expiresAt) > EARLY_SEC;
      const { text } = isGood ? before : await renew();
      return { "x-rucio-auth-token": text };
    },
    rejects: (answer) => isException(answer, "CannotAuthenticate"),
  };
}
