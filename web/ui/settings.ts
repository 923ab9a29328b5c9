import { useSyncExternalStore } from "react";

/** What a person chose for this browser: remembered, and the same in all its tabs. */
interface Settings {
  readonly zone: "utc" | "local";
  readonly theme: "system" | "light" | "dark";
}

const USUAL: Settings = { zone: "utc", theme: "system" };
const KEY = "wms2-settings";
const listeners = new Set<() => void>();
let current = read();

function read(): Settings {
  try {
    return { ...USUAL, ...JSON.parse(localStorage.getItem(KEY) ?? "{}") };
  } catch {
    return USUAL; // no storage, or somebody else's words in it
  }
}

function apply(next: Settings): void {
  current = next;
  document.documentElement.dataset.theme = next.theme;
  for (const listener of listeners) listener();
}

export function changeSettings(change: Partial<Settings>): void {
  apply({ ...current, ...change });
  try {
    localStorage.setItem(KEY, JSON.stringify(current));
  } catch {
    // Remembered until the page is left.
  }
}

export const useSettings = (): Settings =>
  useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => current,
  );

export function startSettings(): void {
  apply(current);
  window.addEventListener("storage", ({ key }) => key === KEY && apply(read()));
}
