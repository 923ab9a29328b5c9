import { type ReactNode, useEffect, useState } from "react";
import { Tabs } from "../../ui/tabs.tsx";
import type { useUrlState } from "../../url-state.ts";
import { type Choice, MODES } from "./words.ts";

type Url = ReturnType<typeof useUrlState>;

export function readChoice(url: Url): Choice {
  const mode = MODES.find(([word]) => word === url.get("mode"))?.[0] ?? "failed";
  const [component, from, to] = (["component", "from", "to"] as const).map((key) => url.get(key));
  return {
    ...(component && { component }),
    ...(from && { from }),
    ...(to && { to }),
    mode,
    recurse: url.get("recurse") !== "false",
  };
}

interface ChooserProps {
  readonly choice: Choice;
  readonly components: readonly string[];
  readonly url: Url;
}

/** Which products the plan is about; all of it is in the address. */
export const Chooser = ({ choice, components, url }: ChooserProps): ReactNode => (
  <div className="toolbar fill-choice">
    <label className="choice">
      <span className="label">Component</span>
      <select value={choice.component ?? ""} onChange={({ target }) => url.set("component", target.value || null)}>
        <option value="">all {components.length || ""}</option>
        {components.map((component) => (
          <option key={component}>{component}</option>
        ))}
      </select>
    </label>
    <Point label="Ends in or after" name="from" value={choice.from ?? ""} url={url} />
    <Point label="Ends in or before" name="to" value={choice.to ?? ""} url={url} />
    <div>
      <span className="label">Make</span>
      <Tabs
        label="Make"
        value={choice.mode}
        options={MODES}
        onChange={(mode) => url.set("mode", mode === "failed" ? null : mode)}
      />
    </div>
    <label className="inline">
      <input
        type="checkbox"
        checked={choice.recurse}
        onChange={({ target }) => url.set("recurse", target.checked ? null : "false")}
      />
      and what they need
    </label>
  </div>
);

/** A year or month; it counts when it is left, or Enter is pressed. */
function Point({ label, name, value, url }: { label: string; name: string; value: string; url: Url }): ReactNode {
  const [text, setText] = useState(value);
  useEffect(() => setText(value), [value]);
  const set = () => text.trim() !== value && url.set(name, text.trim() || null);
  return (
    <label className="choice">
      <span className="label">{label}</span>
      <input
        value={text}
        size={8}
        placeholder="any"
        inputMode="numeric"
        onChange={({ target }) => setText(target.value)}
        onBlur={set}
        onKeyDown={({ key }) => key === "Enter" && set()}
      />
    </label>
  );
}
