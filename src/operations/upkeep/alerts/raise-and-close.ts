import type { Alert } from "../../../core/dag.ts";
import type { Store } from "../../../store/port.ts";

/** An alert that should be open as things are now. The key is `family:what`, and stays the same while the trouble does. */
export interface AlertWish {
  readonly key: string;
  readonly severity: Alert["severity"];
  readonly subject: string;
  /** The same words while nothing changed: "since 10:00", never "for 3 h". */
  readonly message: string;
}

export const familyOf = (key: string): string => key.split(":", 1)[0] ?? key;

/**
 * Makes the open alerts of these families the wanted ones, and writes only what differs: repeating it changes
 * nothing. A family that could not be looked at now must be left out, or its alerts would be closed unseen.
 */
export async function raiseAndClose(
  store: Pick<Store, "alerts">,
  families: readonly string[],
  wanted: readonly AlertWish[],
  at: Date,
): Promise<{ raised: number; closed: number }> {
  const open = new Map(
    (await store.alerts.open())
      .filter(({ key }) => families.includes(familyOf(key)))
      .map((alert) => [alert.key, alert]),
  );
  const news = wanted.filter((wish) => !isSame(open.get(wish.key), wish));
  for (const wish of news) await store.alerts.raise({ ...wish, at });
  const keys = new Set(wanted.map(({ key }) => key));
  const over = [...open.keys()].filter((key) => !keys.has(key));
  for (const key of over) await store.alerts.close(key, at);
  return { raised: news.length, closed: over.length };
}

const isSame = (open: Alert | undefined, wish: AlertWish): boolean =>
  open !== undefined &&
  open.severity === wish.severity &&
  open.message === wish.message &&
  open.subject === wish.subject;
