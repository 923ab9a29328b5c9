import type { HTMLAttributes, ReactNode } from "react";
import { Link } from "wouter";
import { MAX_PRIORITY } from "../../../src/core/request.ts";
import { requestHref } from "../../request-status.tsx";
import { Time } from "../../ui/time.tsx";
import type { Entry } from "./order.ts";

interface RowProps {
  readonly entry: Entry;
  /** As it is now; other than in `entry`: this is what if. */
  readonly now: Pick<Entry, "place" | "priority">;
  readonly isLast: boolean;
  readonly dragged: "this" | "over" | null;
  readonly handle: HTMLAttributes<HTMLElement>;
  readonly onMove: (place: number) => void;
  readonly onPriority: (priority: number) => void;
}

export function QueueRow({ entry, now, isLast, dragged, handle, onMove, onPriority }: RowProps): ReactNode {
  const { request_name: name, place, priority, urgent } = entry;
  const isOther = now.priority !== priority;
  const type = (input: HTMLInputElement) => {
    const value = Number(input.value);
    if (input.value !== "" && Number.isSafeInteger(value) && value >= 0) onPriority(value);
    else input.value = String(priority);
  };
  return (
    <tr
      data-id={name}
      tabIndex={-1}
      className={[isOther && "is-other", dragged && `drag-${dragged}`].filter(Boolean).join(" ") || undefined}
    >
      <td className="handle" title="Drag to another place" {...handle}>
        <span aria-hidden="true">⠿</span>
      </td>
      <td className="number">
        {now.place !== place && (
          <>
            <s className="quiet">{now.place}</s>{" "}
          </>
        )}
        <b>{place}</b>
      </td>
      <th scope="row">
        <Link href={requestHref(name)}>{name}</Link> {urgent && <span className="quiet">urgent</span>}
      </th>
      <td>
        <input
          key={priority}
          type="number"
          min={0}
          max={MAX_PRIORITY}
          defaultValue={priority}
          aria-label={`Priority of ${name}`}
          onBlur={({ currentTarget }) => type(currentTarget)}
          onKeyDown={({ key, currentTarget }) => key === "Enter" && type(currentTarget)}
        />
        {isOther && <div className="quiet number">now {now.priority.toLocaleString("en")}</div>}
      </td>
      <td className="moves">
        <button type="button" aria-label={`Move ${name} up`} disabled={place === 1} onClick={() => onMove(place - 1)}>
          ↑
        </button>
        <button type="button" aria-label={`Move ${name} down`} disabled={isLast} onClick={() => onMove(place + 1)}>
          ↓
        </button>
      </td>
      <td>
        {entry.verdict === "start" ? (
          <b>with the next pass</b>
        ) : entry.expected_at ? (
          <Time at={entry.expected_at} as="both" isGuess />
        ) : (
          <span className="quiet">unknown</span>
        )}
      </td>
      <td>
        {entry.reason}
        <div className="quiet">
          waits for <Time at={entry.queued_since} as="span" />
        </div>
      </td>
    </tr>
  );
}
