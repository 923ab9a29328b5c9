import type { ReactNode } from "react";
import { Link } from "wouter";
import { useAnswer } from "../../api/queries.ts";
import { requestHref } from "../../request-status.tsx";

/** Whom a ban is for: all requests, or one, by its name as soon as that is known. */
export function ForWhom({ workflow }: { workflow: string | null }): ReactNode {
  const { data } = useAnswer("workflows.show", { id: workflow ?? "" }, { enabled: workflow !== null });
  if (workflow === null) return "all requests";
  return data ? <Link href={requestHref(data.request_name)}>{data.request_name}</Link> : "one request";
}
