import { useEffect, useRef } from "react";

const REST_MS = 250;

/** Tells a typed text once nobody has typed for a moment. */
export function useDebounced(text: string, tell: (text: string) => void): void {
  const latest = useRef(tell);
  latest.current = tell;
  useEffect(() => {
    const timer = setTimeout(() => latest.current(text), REST_MS);
    return () => clearTimeout(timer);
  }, [text]);
}
