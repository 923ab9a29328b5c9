import { useCallback } from "react";
import { useParams, useSearchParams } from "wouter";
import { decodedNames } from "./address-names.ts";

/** What the page is about, by the names in its address. */
export const useNames = (): Readonly<Record<string, string | undefined>> => decodedNames(useParams());

/** View state lives in the address: what is as usual is left out, typing replaces, choosing pushes. */
export function useUrlState() {
  const [params, setParams] = useSearchParams();
  const set = useCallback(
    (key: string, value: string | readonly string[] | null, { replace = false } = {}) =>
      setParams(
        (now) => {
          const next = new URLSearchParams(now);
          next.delete(key);
          for (const item of [value ?? []].flat()) if (item !== "") next.append(key, item);
          return next;
        },
        { replace },
      ),
    [setParams],
  );
  /** Several at once, as one step back. */
  const setAll = useCallback(
    (values: Readonly<Record<string, string>>) =>
      setParams((now) => {
        const next = new URLSearchParams(now);
        for (const [key, value] of Object.entries(values)) value === "" ? next.delete(key) : next.set(key, value);
        return next;
      }),
    [setParams],
  );
  return {
    setAll,
    get: (key: string) => params.get(key) ?? undefined,
    all: (key: string) => params.getAll(key),
    set,
    clear: () => setParams({}),
  };
}
