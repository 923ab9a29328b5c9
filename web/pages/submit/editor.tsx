import { type ReactNode, type Ref, useRef } from "react";
import { placeOfLine } from "./lines.ts";

interface EditorProps {
  readonly text: string;
  readonly onChange: (text: string) => void;
  /** Lines with something wrong in them, with what it is. */
  readonly marks: ReadonlyMap<number, string>;
  readonly box: Ref<HTMLTextAreaElement>;
}

/** A plain text area with the numbers of its lines; those with a problem are marked. */
export function Editor({ text, onChange, marks, box }: EditorProps): ReactNode {
  const gutter = useRef<HTMLDivElement>(null);
  const lines = text.split("\n").length;
  return (
    <div className="editor">
      <div className="gutter number" aria-hidden="true" ref={gutter}>
        {Array.from({ length: lines }, (_, at) => at + 1).map((line) => (
          <div key={line} className={marks.has(line) ? "marked" : undefined} title={marks.get(line)}>
            {line}
          </div>
        ))}
      </div>
      <textarea
        ref={box}
        className="mono"
        aria-label="The request, as YAML"
        aria-invalid={marks.size > 0}
        aria-describedby="submit-problems"
        spellCheck={false}
        autoCapitalize="off"
        wrap="off"
        rows={Math.min(32, Math.max(16, lines + 1))}
        value={text}
        placeholder={"name: my-request\nkind: generate\n…"}
        onChange={({ target }) => onChange(target.value)}
        onScroll={({ currentTarget }) => {
          gutter.current!.scrollTop = currentTarget.scrollTop;
        }}
      />
    </div>
  );
}

/** Puts the cursor there, the line selected and in sight. */
export function goToLine(box: HTMLTextAreaElement | null, line: number): void {
  if (!box) return;
  const { from, to } = placeOfLine(box.value, line);
  box.focus();
  box.setSelectionRange(from, to);
  box.scrollTop = Math.max(0, (line - 4) * (box.scrollHeight / box.value.split("\n").length));
}
