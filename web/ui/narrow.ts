import { useSyncExternalStore } from "react";

const query = matchMedia("(max-width: 700px)");

/** Whether there is room for a table, or only for two columns. */
export const useNarrow = (): boolean =>
  useSyncExternalStore(
    (listener) => {
      query.addEventListener("change", listener);
      return () => query.removeEventListener("change", listener);
    },
    () => query.matches,
  );
