import type { Turns } from "../../../core/base/turns.ts";
import type { Work } from "../../../loop/ports.ts";
import { makePoller, type PollOptions } from "./poll.ts";
import { makeWriteBack } from "./write-back.ts";

/** What keeps in touch with ReqMgr2, where there is one and it is wanted. */
export function makeImporters(ports: Work, options: PollOptions & { readonly writeBack: boolean }): readonly Turns[] {
  const source = ports.catalog.requests;
  if (!source) return [];
  return [
    ...(options.pollSec > 0 ? [makePoller(ports, source, options)] : []),
    ...(options.writeBack ? [makeWriteBack(ports, source, options.isLeader)] : []),
  ];
}
