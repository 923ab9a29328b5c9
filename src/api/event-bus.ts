/** What the loop tells whoever listens. Nothing depends on an event arriving: the store has the truth. */
export const LIVE_EVENT_TYPES = ["request.moved", "dag.progress", "loop.pass"] as const;
export type LiveEventType = (typeof LIVE_EVENT_TYPES)[number];

export interface LiveEvent {
  readonly type: LiveEventType;
  readonly detail: Readonly<Record<string, unknown>>;
}

export interface EventSource {
  subscribe(listener: (event: LiveEvent) => void): () => void;
}
export interface EventBus extends EventSource {
  emit(type: LiveEventType, detail: Readonly<Record<string, unknown>>): void;
}

/** In-process: a listener that throws loses that event and disturbs nobody else. */
export function makeEventBus(): EventBus {
  const listeners = new Set<(event: LiveEvent) => void>();
  return {
    subscribe(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    emit(type, detail) {
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
