import type { RequestCatalog } from "../port.ts";
import type { ReqMgr2 } from "./services.ts";

/** Which of the assigned requests are for this installation. */
export interface WantedRequests {
  /** null: of any team, of any campaign. */
  readonly team: string | null;
  readonly campaigns: readonly string[] | null;
}

/** Requests as ReqMgr2 has them. */
export const makeRequestCatalog = (reqmgr2: ReqMgr2, { team, campaigns }: WantedRequests): RequestCatalog => ({
  name: "reqmgr2",
  document: (name) => reqmgr2.request(name),
  configuration: (id) => reqmgr2.configuration(id),
  assigned: () => reqmgr2.names({ status: "assigned", team, campaigns: campaigns?.length ? campaigns : null }),
  async setStatus(name, status) {
    const done = await reqmgr2.setStatus(name, status);
    if (done.kind === "done") return { kind: "done" };
    return { kind: "refused", message: `${done.message} (${done.code}); ${done.fix}` };
  },
});
