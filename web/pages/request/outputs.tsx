import type { ReactNode } from "react";
import { Link } from "wouter";
import { useAnswer } from "../../api/queries.ts";
import { requestHref } from "../../request-status.tsx";
import { CopyButton } from "../../ui/copy-button.tsx";
import { bytes, count } from "../../words.ts";
import { blocksSentence } from "../outputs/words.ts";

const SHOWN = 8;

/** Merged files, and the blocks they are made known in. */
export function Outputs({ name }: { name: string }): ReactNode {
  const outputs = useAnswer("requests.outputs", { name, limit: SHOWN });
  const blocks = useAnswer("blocks.ofRequest", { name, limit: 1 });
  const files = outputs.data?.items ?? [];
  const sums = blocks.data?.sums;
  return (
    <section className="panel">
      <header>
        <h2>Outputs</h2>
        <span className="quiet">
          {files.length === 0
            ? "none yet: they appear as work units finish"
            : `${outputs.data?.next_cursor ? "the first " : ""}${count(files.length, "file")}`}
        </span>
        <span className="end">
          <Link href={`${requestHref(name)}/outputs`}>All files and blocks</Link>
        </span>
      </header>
      {files.length > 0 && (
        <div className="scroll">
          <table className="plain cards">
            <tbody>
              {files.map((file) => (
                <tr key={file.lfn}>
                  <th scope="row" className="mono">
                    {file.lfn}
                  </th>
                  <td className="end number">{bytes(file.size_bytes)}</td>
                  <td className="end number">{file.events === null ? "" : count(file.events, "event")}</td>
                  <td>{file.status}</td>
                  <td className="end">
                    <CopyButton text={file.path} label="Copy path" />
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
      {sums && sums.blocks > 0 && <p className="body quiet">{blocksSentence(sums).text}</p>}
    </section>
  );
}
