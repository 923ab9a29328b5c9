import { type ReactNode, useState } from "react";

/** Copies a text, and says so for a moment. */
export function CopyButton({ text, label = "Copy" }: { text: string; label?: string }): ReactNode {
  const [said, setSaid] = useState<string | null>(null);
  const tell = (word: string) => {
    setSaid(word);
    setTimeout(() => setSaid(null), 1500);
  };
  const copy = () =>
    navigator.clipboard
      ? navigator.clipboard.writeText(text).then(
          () => tell("Copied"),
          () => tell("Could not copy"),
        )
      : tell("Select it by hand: this page is not served over HTTPS");
  return (
    <button type="button" onClick={() => void copy()}>
      <span aria-live="polite">{said ?? label}</span>
    </button>
  );
}

/** A line to type somewhere else, ready to be copied. */
export const Command = ({ text }: { text: string }): ReactNode => (
  <div className="command">
    <code>{text}</code>
    <CopyButton text={text} />
  </div>
);
