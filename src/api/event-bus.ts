import type { NodeTally, UnitTally } from "../domain/dag.ts";
import type { DagId, RequestName } from "../domain/names.ts";
import type { RequestStatus } from "../domain/request-status.ts";

/** What the loop tells whoever listens. Nothing depends on an event arriving: the store has the truth. */
export type LiveEvent =
  | {
      readonly type: "request.moved";
      readonly requestName: RequestName;
      readonly from: RequestStatus | null;
      readonly to: RequestStatus;
      readonly reason: string;
      readonly actor: string;
      readonly at: Date;
    }
  | {
      readonly type: "dag.progress";
      readonly requestName: RequestName;
      readonly dagId: DagId;
      readonly nodes: NodeTally;
      readonly units: UnitTally;
      readonly at: Date;
    }
  | {
      readonly type: "loop.pass";
      readonly seconds: number;
      readonly openRequests: number;
      readonly requestsWithErrors: number;
      readonly at: Date;
    };

export const LIVE_EVENT_TYPES = ["request.moved", "dag.progress", "loop.pass"] as const satisfies readonly LiveEvent["type"][];

export type Unsubscribe = () => void;
export interface EventSource {
  subscribe(listener: (event: LiveEvent) => void): Unsubscribe;
}

/** In-process: a listener that throws loses that event and disturbs nobody else. */
export class EventBus implements EventSource {
  readonly #listeners = new Set<(event: LiveEvent) => void>();

  subscribe(listener: (event: LiveEvent) => void): Unsubscribe {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  publish(event: LiveEvent): void {
    for (const listener of this.#listeners) {
      try {
        listener(event);
      } catch {
        // A broken listener (a closed socket) is its own trouble: publishing is part of a pass.
      }
    }
  }
}
