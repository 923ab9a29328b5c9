import { type ReactNode, useState } from "react";
import { useDebounced } from "./ui/debounced.ts";
import type { useUrlState } from "./url-state.ts";

/** Only what is about one request or site: in the address a moment after it was typed. */
export function SubjectFilter({ url }: { url: ReturnType<typeof useUrlState> }): ReactNode {
  const subject = url.get("subject") ?? "";
  const [typed, setTyped] = useState(subject);
  useDebounced(typed, (text) => text !== subject && url.set("subject", text, { replace: true }));
  return (
    <label className="grow">
      <span className="visually-hidden">Only of this request or site</span>
      <input
        type="search"
        placeholder="Only of this request or site"
        value={typed}
        onChange={({ target }) => setTyped(target.value.trim())}
      />
    </label>
  );
}
