import type { LIVE_EVENT_TYPES } from "../system.ts";

/** Nothing depends on an event arriving: the store has the truth. */
export interface LiveEvent {
  readonly type: (typeof LIVE_EVENT_TYPES)[number];
  readonly detail: Readonly<Record<string, unknown>>;
}
type Listener = (event: LiveEvent) => void;
export type EventBus = ReturnType<typeof makeEventBus>;

/** In-process: a listener that throws loses that event and disturbs nobody else. */
export function makeEventBus() {
  const listeners = new Set<Listener>();
  return {
    subscribe(listener: Listener) {
      listeners.add(listener);
      return (): void => void listeners.delete(listener);
    },
    emit(type: LiveEvent["type"], detail: LiveEvent["detail"]): void {
      for (const listener of listeners) {
        try {
          listener({ type, detail });
        } catch {
          // A broken listener (a closed socket) is its own trouble; the one who emits is in the midst of a pass.
        }
      }
    },
  };
}
