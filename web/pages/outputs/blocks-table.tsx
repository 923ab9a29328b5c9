import type { ReactNode } from "react";
import { Link } from "wouter";
import type { BlockView } from "../../../src/operations/blocks.ts";
import { requestHref } from "../../request-status.tsx";
import { Badge } from "../../ui/badge.tsx";
import { TableHead } from "../../ui/table-head.tsx";
import { Time } from "../../ui/time.tsx";
import { bytes, count } from "../../words.ts";
import { BLOCK_LOOK, unitsText } from "./words.ts";

interface BlocksTableProps {
  readonly blocks: readonly BlockView[];
  /** Of all requests: each says whose it is. */
  readonly hasRequests?: boolean;
  readonly onRetry: (block: BlockView) => void;
}

const COLUMNS = [
  "State",
  "Block",
  "Units",
  { end: "Files" },
  { end: "Size" },
  "Steps taken",
  "Waiting since",
  "What it waits for",
];

/** Blocks with their state, what is in them, which steps are taken, and what they wait for. */
export const BlocksTable = ({ blocks, hasRequests = false, onRetry }: BlocksTableProps): ReactNode => (
  <div className="scroll">
    <table className="plain cards">
      <TableHead columns={COLUMNS} />
      <tbody>
        {blocks.map((block) => (
          <tr key={block.name}>
            <td title={BLOCK_LOOK[block.status][2]}>
              <Badge tone={BLOCK_LOOK[block.status][0]} letter={BLOCK_LOOK[block.status][1]}>
                {block.status}
              </Badge>
            </td>
            <th scope="row">
              {hasRequests && (
                <div>
                  <Link href={`${requestHref(block.request_name)}/outputs`}>{block.request_name}</Link>
                </div>
              )}
              <span className="mono">{block.name}</span>
              {block.site && <div className="quiet">at {block.site}</div>}
            </th>
            <td data-label="Units" className="number">
              {unitsText(block)}
            </td>
            <td data-label="Files" className="end number">
              {block.files.toLocaleString("en")}
            </td>
            <td data-label="Size" className="end number">
              {bytes(block.bytes)}
            </td>
            <td data-label="Steps taken">
              {Object.keys(block.receipts).join(", ") || <span className="quiet">none</span>}
            </td>
            <td data-label="Waiting since">
              {block.waiting_since ? <Time at={block.waiting_since} /> : <span className="quiet">nothing</span>}
            </td>
            <td>
              <Waits block={block} onRetry={onRetry} />
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  </div>
);

function Waits({ block, onRetry }: { block: BlockView; onRetry: (block: BlockView) => void }): ReactNode {
  const { status, last_error: error, tries, next_try_at, waits_for } = block;
  if (status !== "open" && status !== "failed") return null;
  return (
    <div className="commands">
      {error ? (
        <span>
          <b>{error.step}</b>: {error.message} <span className="quiet">Try: {error.fix}</span>
        </span>
      ) : (
        <span className="quiet">{waits_for}</span>
      )}
      {tries > 0 && (
        <span className="quiet">
          {count(tries, "try", "tries")} so far
          {status === "open" && (
            <>
              , next <Time at={next_try_at} />
            </>
          )}
        </span>
      )}
      {(status === "failed" || tries > 0) && (
        <button type="button" onClick={() => onRetry(block)}>
          Retry now …
        </button>
      )}
    </div>
  );
}
