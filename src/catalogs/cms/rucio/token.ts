import { type Clock, secondsBetween } from "../../../core/base/clock.ts";
import type { Credentials } from "../http/question.ts";
import type { HttpService } from "../http/service.ts";
import { isException, readToken, type Token } from "./answers.ts";
import { token as tokenQuestion } from "./questions.ts";

/** So long before it ends a token is not used any more. */
const EARLY_SEC = 300;
const HEADER = "x-rucio-auth-token";

/** The token that goes with every question; renewed before it ends, and when the server does not know it any more. */
export function makeRucioToken(auth: HttpService, authUrl: string, account: string, clock: Clock): Credentials {
  let known: Promise<Token> | null = null;
  const renew = (): Promise<Token> => {
    const asked = auth.read(tokenQuestion(authUrl, account), readToken);
    // A token that could not be had is asked for again by the next caller.
    asked.catch(() => {
      if (known === asked) known = null;
    });
    return asked;
  };
  return {
    async headers(rejected) {
      const seen = known;
      const before = seen && (await seen);
      const isGood =
        before && before.text !== rejected?.[HEADER] && secondsBetween(clock.now(), before.expiresAt) > EARLY_SEC;
      // Who comes at the same time waits for the same new one.
      if (!isGood && (known === null || known === seen)) known = renew();
      const { text } = isGood ? before : await (known as Promise<Token>);
      return { [HEADER]: text };
    },
    rejects: (answer) => isException(answer, "CannotAuthenticate"),
  };
}
