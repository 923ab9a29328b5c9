import type { ReactNode } from "react";

interface TabsProps<V extends string> {
  readonly label: string;
  readonly value: V;
  readonly options: readonly (readonly [value: V, text: ReactNode])[];
  readonly onChange: (value: V) => void;
}

/** One of a few: pressed buttons, so that it works as a switch of views and as a switch of settings. */
export const Tabs = <V extends string>({ label, value, options, onChange }: TabsProps<V>): ReactNode => (
  <fieldset className="tabs" aria-label={label}>
    {options.map(([option, text]) => (
      <button key={option} type="button" aria-pressed={option === value} onClick={() => onChange(option)}>
        {text}
      </button>
    ))}
  </fieldset>
);
