import { probe, type Question } from "../http/question.ts";
import { json } from "../http/rows.ts";
import type { HttpService } from "../http/service.ts";
import type { Cric } from "../services.ts";
import { readSites, readStorage } from "./answers.ts";

const get = (operation: string, url: string): Question => ({
  operation,
  method: "GET",
  url,
  headers: { accept: "*/*" },
  repeatable: true,
});

/** `json` is a flag without a value; sites that are not active now are sites all the same. */
const report = (base: string, preset: string): Question =>
  get(`${preset}.read`, `${base}/api/cms/site/query/?json&preset=${preset}&rcsite_state=ANY`);

/** The smallest question it answers. */
export const whoAmI = (base: string): Question => probe(`${base}/api/accounts/user/query/?json&preset=whoami`);

export const makeCric = (http: HttpService, url: string): Cric => ({
  storage: () => http.read(report(url, "data-processing"), json(readStorage)),
  sites: () => http.read(report(url, "site-names"), json(readSites)),
  status: (address) => http.read(get("site-status.read", address), ({ text }) => text),
});
