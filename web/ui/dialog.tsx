import { type KeyboardEvent, type ReactNode, useEffect, useRef } from "react";

interface DialogProps {
  readonly title: string;
  readonly onClose: () => void;
  readonly children: ReactNode;
  readonly footer?: ReactNode;
  readonly className?: string;
}

/** The browser's own dialog: it keeps the focus, closes by Escape, and gives the focus back. */
export function Dialog({ title, onClose, children, footer, className }: DialogProps): ReactNode {
  const ref = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    const dialog = ref.current;
    const before = document.activeElement;
    dialog?.showModal();
    dialog?.querySelector<HTMLElement>(".body :is(input, select, textarea)")?.focus();
    return () => {
      dialog?.close();
      if (before instanceof HTMLElement) before.focus();
    };
  }, []);
  // Enter in a field does what the main button does; where that may not be pressed, its reason is read.
  const onEnter = (event: KeyboardEvent) => {
    const { target } = event;
    if (event.key !== "Enter" || !(target instanceof HTMLInputElement) || target.type === "checkbox") return;
    const main = ref.current?.querySelector<HTMLElement>("footer button.primary");
    if (!main) return;
    event.preventDefault();
    if (main.getAttribute("aria-disabled") === "true") main.focus();
    else main.click();
  };
  return (
    <dialog
      ref={ref}
      className={className}
      aria-label={title}
      onCancel={(event) => {
        event.preventDefault();
        onClose();
      }}
    >
      <header>
        <h2>{title}</h2>
        <button type="button" className="plain" aria-label="Close" onClick={onClose}>
          ✕
        </button>
      </header>
      {/* biome-ignore lint/a11y/noStaticElementInteractions: the fields in it are what is typed into */}
      <div className="body" onKeyDown={onEnter}>
        {children}
      </div>
      {footer && <footer>{footer}</footer>}
    </dialog>
  );
}
