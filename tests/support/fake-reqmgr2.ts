import type { ReqMgr2 } from "../../src/catalogs/cms/services.ts";
import { WorldError } from "../../src/core/base/errors.ts";

/** As ReqMgr2 lets a request move; a move to where it is, is refused. */
const MOVES: Readonly<Record<string, readonly string[]>> = {
  assigned: ["staging", "aborted"],
  staging: ["staged", "aborted"],
  staged: ["acquired", "aborted", "failed"],
  acquired: ["running-open", "aborted", "failed"],
  "running-open": ["running-closed", "aborted"],
  "running-closed": ["completed", "aborted"],
};

type Document = Record<string, unknown>;

/** ReqMgr2 with its documents in memory, for decisions; the emulator is for its HTTP. */
export function fakeReqMgr2() {
  const documents = new Map<string, Document>();
  const moves: string[] = [];
  const calls: string[] = [];
  let isAway = false;
  const called = (what: string) => {
    calls.push(what);
    if (isAway) throw new WorldError("catalog-unreachable", "reqmgr2", "nobody answers");
  };
  const reqmgr2: ReqMgr2 = {
    async request(name) {
      called(`read ${name}`);
      return structuredClone(documents.get(name) ?? null);
    },
    async names({ status, team, campaigns }) {
      called("names");
      return [...documents]
        .filter(([, one]) => one.RequestStatus === status && (team === null || one.Team === team))
        .filter(([, one]) => campaigns === null || campaigns.includes(one.Campaign as string))
        .map(([name]) => name);
    },
    async setStatus(name, to) {
      called(`${to} ${name}`);
      const one = documents.get(name);
      const from = String(one?.RequestStatus);
      if (!one || !MOVES[from]?.includes(to))
        return { kind: "refused", code: "1101", message: `no move ${from} → ${to}`, fix: "look there" };
      one.RequestStatus = to;
      moves.push(to);
      return { kind: "done", adopted: false };
    },
    configuration: async () => null,
  };
  return {
    reqmgr2,
    documents,
    /** Every move that was made, by whoever. */
    moves,
    calls,
    away(yes: boolean) {
      isAway = yes;
    },
  };
}
