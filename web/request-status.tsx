import type { ReactNode } from "react";
import type { RequestStatus } from "../src/core/request-status.ts";
import { Badge } from "./ui/badge.tsx";
import { STATUS_LOOK } from "./words.ts";

export function Status({ status }: { status: RequestStatus }): ReactNode {
  const [tone, letter] = STATUS_LOOK[status];
  return (
    <Badge tone={tone} letter={letter}>
      {status}
    </Badge>
  );
}

export const requestHref = (name: string): string => `/requests/${encodeURIComponent(name)}`;
export const siteHref = (name: string): string => `/sites/${encodeURIComponent(name)}`;
