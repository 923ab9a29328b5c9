import { type FormEvent, type ReactNode, useEffect, useRef, useState } from "react";
import { useLocation } from "wouter";
import { useAnswer } from "../../api/queries.ts";
import { Problem } from "../../problem.tsx";
import { useKeys } from "../../ui/keys.tsx";
import { count } from "../../words.ts";
import type { LogAddress } from "./address.ts";

/** The browser's own search sees only the lines that exist: this one asks the server, which reads the whole file. */
export function Find({ address }: { address: LogAddress }): ReactNode {
  const { q, at, log } = address;
  const [, go] = useLocation();
  const [text, setText] = useState(q);
  useEffect(() => setText(q), [q]);
  const isNew = useRef(false);
  const input = { ...log, q, ignore_case: "true", limit: 200 } as const;
  const { data, error, isFetching } = useAnswer("attempts.grep", input, { enabled: q !== "" });
  const matches = q === "" ? [] : (data?.matches ?? []);
  const place = matches.findIndex(({ from }) => from === at);
  const goTo = (to: number, replace = false) => {
    const match = matches[(to + matches.length) % matches.length];
    if (match) go(address.with({ at: match.from, from: null, follow: null }), { replace });
  };
  useKeys({
    n: ["next line with what was looked for", () => goTo(place + 1)],
    p: ["line before with what was looked for", () => goTo(place < 0 ? -1 : place - 1)],
  });
  // Who asks for something else sees the first line that has it.
  useEffect(() => {
    if (!isNew.current || isFetching || !data) return;
    isNew.current = false;
    goTo(0, true);
  });
  const onSubmit = (event: FormEvent) => {
    event.preventDefault();
    if (text === q) return goTo(place + 1);
    isNew.current = true;
    go(address.with({ q: text || null, at: null }));
  };
  return (
    <form className="grow find" onSubmit={onSubmit}>
      <label>
        <span className="label">Find in the whole log</span>
        <input
          type="search"
          value={text}
          maxLength={200}
          placeholder="The exact text; Enter finds the next"
          onChange={({ target }) => setText(target.value)}
        />
      </label>
      <output className="quiet number">
        {q === "" ? "" : !data ? "looking …" : told(matches.length, place, data.next_line !== null)}
      </output>
      <button type="button" onClick={() => goTo(place < 0 ? -1 : place - 1)} aria-label="Line before">
        ↑
      </button>
      <button type="submit">Find</button>
      {error && <Problem error={error} />}
    </form>
  );
}

function told(found: number, place: number, isMore: boolean): string {
  if (found === 0) return "no line has it";
  const all = `${count(found, "line")}${isMore ? " and more" : ""}`;
  return place < 0 ? all : `${place + 1} of ${all}`;
}
