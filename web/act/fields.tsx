import type { ReactNode } from "react";
import type { OperatorAction } from "../../src/recovery/round/actions.ts";

/** What a person fills in for an action; left out: as usual. */
export interface Filled {
  readonly reason: string;
  readonly how?: "rescue" | "next-round";
  readonly memory_mb?: number;
  readonly invalidate?: boolean;
  readonly cleanup_policy?: "keep_until_replaced" | "immediate_cleanup";
}

interface FieldsProps {
  readonly action: OperatorAction;
  readonly filled: Filled;
  readonly onChange: (filled: Filled) => void;
}

/** The fields that an action has, and always the reason. */
export function Fields({ action, filled, onChange }: FieldsProps): ReactNode {
  const without = (key: keyof Filled): Filled => {
    const { [key]: _, ...rest } = filled;
    return { reason: "", ...rest } as Filled;
  };
  const put = (key: keyof Filled, value: unknown): void =>
    onChange(value === undefined ? without(key) : { ...filled, [key]: value });
  return (
    <>
      {action === "release" && (
        <div className="columns">
          <label>
            <span className="label">How it goes on</span>
            <select value={filled.how ?? ""} onChange={({ target }) => put("how", target.value || undefined)}>
              <option value="">automatic</option>
              <option value="rescue">rescue: go on with the same run</option>
              <option value="next-round">next round: plan what failed again</option>
            </select>
          </label>
          <label>
            <span className="label">Memory of a job, MB (empty: as it was)</span>
            <input
              type="number"
              min={1}
              value={filled.memory_mb ?? ""}
              onChange={({ target }) => put("memory_mb", target.value ? Number(target.value) : undefined)}
            />
          </label>
        </div>
      )}
      {(action === "abort" || action === "fail") && (
        <label className="inline">
          <input
            type="checkbox"
            checked={filled.invalidate ?? false}
            onChange={({ target }) => put("invalidate", target.checked || undefined)}
          />
          withdraw its outputs from the catalog, too
        </label>
      )}
      {action === "restart" && (
        <label className="inline">
          <input
            type="checkbox"
            checked={filled.cleanup_policy === "immediate_cleanup"}
            onChange={({ target }) => put("cleanup_policy", target.checked ? "immediate_cleanup" : undefined)}
          />
          withdraw the outputs of the old version now, not when the new one replaces them
        </label>
      )}
      <label>
        <span className="label">Reason (kept with the request and in the audit)</span>
        <input required value={filled.reason} maxLength={1000} onChange={({ target }) => put("reason", target.value)} />
      </label>
    </>
  );
}
