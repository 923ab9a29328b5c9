import type { ReactNode } from "react";

interface BannerProps {
  readonly kind: "info" | "good" | "warning" | "error";
  readonly children: ReactNode;
}

/** Something everybody on the page should know; trouble is read out at once. */
export const Banner = ({ kind, children }: BannerProps): ReactNode => (
  <div className={`banner ${kind}`} role={kind === "error" ? "alert" : "status"}>
    {children}
  </div>
);

/** Nothing to show: why, and what to do next. */
export const Empty = ({ title, children }: { title: string; children?: ReactNode }): ReactNode => (
  <div className="empty">
    <h2>{title}</h2>
    {children}
  </div>
);

export const Loading = ({ what }: { what: string }): ReactNode => (
  <p className="skeleton" role="status">
    Reading {what} …
  </p>
);
