import { useQueryClient } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { useConnection } from "./api/live.ts";
import { Banner } from "./ui/banner.tsx";
import { useNow } from "./ui/time.tsx";
import { duration } from "./ui/time-words.ts";

/** When the oldest answer on this page was read. */
function useOldest(): number | null {
  useNow(1000);
  const answers = useQueryClient().getQueryCache().findAll({ type: "active" });
  const times = answers.map(({ state }) => state.dataUpdatedAt).filter((at) => at > 0);
  return times.length === 0 ? null : Math.min(...times);
}

/** Not a green dot: how old the numbers are. */
export function Freshness(): ReactNode {
  const connection = useConnection();
  const oldest = useOldest();
  const age = oldest === null ? "" : duration((Date.now() - oldest) / 1000);
  const word = { live: "Live", connecting: "Connecting", lost: "Not live" }[connection];
  return (
    <span className="quiet number freshness" title={`${word}: the oldest number on this page was read ${age} ago`}>
      {connection === "live" ? "●" : "○"} {age || "…"}
      <span className="visually-hidden"> since the oldest number on this page was read. {word}.</span>
    </span>
  );
}

export function LostBanner(): ReactNode {
  const connection = useConnection();
  const oldest = useOldest();
  if (connection !== "lost") return null;
  return (
    <Banner kind="warning">
      <b>The server has been silent for more than 30 s.</b>
      <span>
        What you see was read {oldest === null ? "never" : `${duration((Date.now() - oldest) / 1000)} ago`}; it is
        retried automatically.
      </span>
    </Banner>
  );
}
