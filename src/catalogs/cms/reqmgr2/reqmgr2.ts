import { isSuccess } from "../http/question.ts";
import { json } from "../http/rows.ts";
import type { HttpService } from "../http/service.ts";
import type { Done, ReqMgr2 } from "../services.ts";
import { isUnknown, readNames, readRequest, readUpdate } from "./answers.ts";
import * as questions from "./questions.ts";

export function makeReqMgr2(
  http: HttpService,
  { url, configCacheUrl }: { url: string; configCacheUrl: string },
): ReqMgr2 {
  const request = (name: string) =>
    http.readIfThere(
      questions.requestByName(url, name),
      isUnknown,
      json((value) => readRequest(value, name)),
    );

  return {
    request,
    names: (filter) => http.read(questions.namesLike(url, filter), json(readNames)),
    async setStatus(name, status): Promise<Done> {
      const answer = await http.ask(questions.newStatus(url, name, status));
      const refusal = isSuccess(answer) ? readUpdate(answer, name) : http.rules.refusal(answer);
      if (refusal === null) return { kind: "done", adopted: false };
      // A move that was made before, and whose answer was lost, is refused as a move to where it is.
      const now = await request(name);
      return now?.RequestStatus === status ? { kind: "done", adopted: true } : refusal;
    },
    configuration: (configCacheId) =>
      http.readIfThere(questions.configFile(configCacheUrl, configCacheId), isUnknown, ({ text }) => text),
  };
}
