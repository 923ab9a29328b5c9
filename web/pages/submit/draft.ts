import { useState } from "react";

const KEY = "wms2-draft";

/** What somebody has written so far: it outlives a look at another page, not the tab. */
export function useDraft(): readonly [string, (text: string) => void] {
  const [text, setText] = useState(read);
  const change = (next: string) => {
    setText(next);
    try {
      sessionStorage.setItem(KEY, next);
    } catch {
      // Kept until the page is left.
    }
  };
  return [text, change];
}

function read(): string {
  try {
    return sessionStorage.getItem(KEY) ?? "";
  } catch {
    return ""; // no storage
  }
}
