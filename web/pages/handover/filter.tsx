import type { ReactNode } from "react";
import { SubjectFilter } from "../../subject-filter.tsx";
import { Tabs } from "../../ui/tabs.tsx";
import type { useUrlState } from "../../url-state.ts";
import { KINDS, type Kind, SINCES } from "./sections.ts";

interface FilterProps {
  readonly since: string;
  readonly kinds: readonly Kind[];
  readonly url: ReturnType<typeof useUrlState>;
}

/** Since when, of what, about whom: all of it in the address. */
export function HandoverFilter({ since, kinds, url }: FilterProps): ReactNode {
  const toggle = (kind: Kind) =>
    url.set("kind", kinds.includes(kind) ? kinds.filter((other) => other !== kind) : [...kinds, kind]);
  const options = [...SINCES.filter((word) => word !== since), since].sort(bySpan).map((word) => [word, word] as const);
  return (
    <div className="toolbar">
      <Tabs
        label="Since"
        value={since}
        options={options}
        onChange={(word) => url.set("since", word === "8h" ? null : word)}
      />
      <fieldset className="tabs" aria-label="Kind">
        {KINDS.map(([kind, title]) => (
          <button key={kind} type="button" aria-pressed={kinds.includes(kind)} onClick={() => toggle(kind)}>
            {title}
          </button>
        ))}
      </fieldset>
      <SubjectFilter url={url} />
    </div>
  );
}

const UNIT_H: Readonly<Record<string, number>> = { m: 1 / 60, h: 1, d: 24 };
/** A time of its own comes last. */
const spanOf = (word: string): number =>
  Number.parseInt(word, 10) * (UNIT_H[word.at(-1) ?? ""] ?? Number.POSITIVE_INFINITY);
const bySpan = (a: string, b: string): number => spanOf(a) - spanOf(b);
