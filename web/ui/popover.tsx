import { type ReactNode, useId } from "react";

/** A button and what it opens, placed and closed by the browser. */
export function Popover({
  button,
  label,
  className,
  children,
}: {
  button: ReactNode;
  label: string;
  className?: string;
  children: ReactNode;
}): ReactNode {
  const id = useId();
  const anchor = `--a${id.replaceAll(/\W/g, "")}`;
  return (
    <>
      <button
        type="button"
        className={className}
        popoverTarget={id}
        aria-haspopup="dialog"
        style={{ anchorName: anchor } as object}
      >
        {button}
      </button>
      <div id={id} popover="auto" role="dialog" aria-label={label} style={{ positionAnchor: anchor } as object}>
        {children}
      </div>
    </>
  );
}
