import type { RequestStatus } from "../../domain/request-status.ts";
import type { Paint } from "../terminal.ts";

/** A status in its colour: what needs a person is red, what moves is cyan, what is done is green. */
export function statusWord(status: RequestStatus, paint: Paint): string {
  switch (status) {
    case "completed":
      return paint.green(status);
    case "held":
    case "failed":
      return paint.red(status);
    case "aborted":
    case "stopping":
    case "partial":
      return paint.yellow(status);
    case "active":
    case "planning":
    case "resubmitting":
      return paint.cyan(status);
    case "new":
    case "submitted":
    case "queued":
      return paint.dim(status);
  }
}
