import { type ReactNode, useEffect, useRef, useSyncExternalStore } from "react";
import { Dialog } from "./dialog.tsx";

/** Keys of the page that is shown: what each does, for the list behind `?`. */
type KeyMap = Readonly<Record<string, readonly [about: string, run: (event: KeyboardEvent) => void]>>;

const maps = new Set<{ current: KeyMap }>();
const listeners = new Set<() => void>();
let shown: readonly (readonly [key: string, about: string])[] = [];

function changed(): void {
  shown = [...maps].flatMap(({ current }) => Object.entries(current).map(([key, [about]]) => [key, about] as const));
  for (const listener of listeners) listener();
}

const isTyping = ({ target }: KeyboardEvent): boolean =>
  target instanceof HTMLElement &&
  (target.isContentEditable || ["INPUT", "SELECT", "TEXTAREA"].includes(target.tagName)) &&
  !(target instanceof HTMLInputElement && target.type === "checkbox");

const IS_APPLE = /^(Mac|iP)/.test(navigator.platform);
/** As it stands on the keys of this machine. */
export const keyName = (key: string): string =>
  key.startsWith("mod+") ? `${IS_APPLE ? "⌘" : "Ctrl "}${key.slice(4).toUpperCase()}` : key;

/** Keys work while nobody types and no dialog is open; `mod+k` works everywhere. */
export function useKeys(map: KeyMap): void {
  const ref = useRef(map);
  ref.current = map;
  useEffect(() => {
    maps.add(ref);
    changed();
    const listen = (event: KeyboardEvent) => {
      const isModified = event.ctrlKey || event.metaKey;
      const name = isModified ? `mod+${event.key.toLowerCase()}` : event.key;
      const entry = ref.current[name];
      if (!entry || event.altKey || event.defaultPrevented) return;
      if (!isModified && (isTyping(event) || document.querySelector("dialog[open]"))) return;
      // The browser's own meaning of Enter on a link or a button stands.
      if (name === "Enter" && event.target instanceof Element && event.target.closest("a, button, summary")) return;
      event.preventDefault();
      entry[1](event);
    };
    document.addEventListener("keydown", listen);
    return () => {
      document.removeEventListener("keydown", listen);
      maps.delete(ref);
      changed();
    };
  }, []);
}

export function KeyList({ onClose }: { onClose: () => void }): ReactNode {
  const keys = useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => shown,
  );
  return (
    <Dialog title="Keys of this page" onClose={onClose}>
      <table className="plain">
        <tbody>
          {keys.map(([key, about]) => (
            <tr key={key}>
              <th scope="row">
                <kbd>{keyName(key)}</kbd>
              </th>
              <td>{about}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </Dialog>
  );
}
