import type { ReactNode } from "react";

/** What stands around a drawing of jobs: its title, and the keys that move in it. */
export const DrawingPanel = ({ children }: { children: ReactNode }): ReactNode => (
  <section className="panel">
    <header>
      <h2>What waits for what</h2>
      <span className="quiet end hide-narrow">
        <kbd>←</kbd> <kbd>→</kbd> <kbd>↑</kbd> <kbd>↓</kbd> move · <kbd>Enter</kbd> opens
      </span>
    </header>
    <div className="body">{children}</div>
  </section>
);
