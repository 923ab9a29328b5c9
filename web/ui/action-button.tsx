import { type ReactNode, useId } from "react";

interface ActionButtonProps {
  readonly children: ReactNode;
  readonly onPress: () => void;
  /** Why it may not be pressed; null: it may. */
  readonly whyNot?: string | null;
  readonly about?: string;
  readonly className?: string;
}

/** A button that may not be pressed stays where it is, can be reached by keyboard, and says why. */
export function ActionButton({ children, onPress, whyNot = null, about, className }: ActionButtonProps): ReactNode {
  const id = useId();
  const text = whyNot ?? about;
  return (
    <>
      <button
        type="button"
        className={className}
        aria-disabled={whyNot !== null}
        aria-describedby={text ? id : undefined}
        title={text}
        onClick={() => whyNot === null && onPress()}
      >
        {children}
      </button>
      {text && (
        <span id={id} className="visually-hidden">
          {text}
        </span>
      )}
    </>
  );
}
