import type { ReactNode } from "react";
import { Link, useLocation } from "wouter";
import type { Answer } from "../api/client.ts";
import { useAnswer } from "../api/queries.ts";
import { AsText } from "../as-text.tsx";
import { nodeHref, placeName } from "../job-links.ts";
import { Problem } from "../problem.tsx";
import { requestHref } from "../request-status.tsx";
import { Empty, Loading } from "../ui/banner.tsx";
import { CopyButton } from "../ui/copy-button.tsx";
import { Tabs } from "../ui/tabs.tsx";
import { bytes, quoted } from "../words.ts";
import { type LogAddress, useLogAddress } from "./log/address.ts";
import { Alike } from "./log/alike.tsx";
import { Find } from "./log/find.tsx";
import { Lines } from "./log/lines.tsx";
import { around, linesOf, placeOfByte, WINDOW, windowFrom } from "./log/window.ts";

const FOLLOW_MS = 2000;

/** Where is the line: a window of what one attempt wrote, found by the server, never read whole. */
export function LogPage(): ReactNode {
  const address = useLogAddress();
  const { name, unit, isFollowed, log } = address;
  const begin = isFollowed ? null : windowFrom(address);
  const input = { ...log, bytes: WINDOW, ...(begin !== null && { from: begin }) };
  const options = { enabled: unit !== "", keep: true, ...(isFollowed && { everyMs: FOLLOW_MS }) };
  const { data, error, isPlaceholderData } = useAnswer("attempts.log", input, options);
  const node = address.node === unit ? "" : ` --node ${quoted(address.node)}`;
  return (
    <>
      <div className="title">
        <h1>
          Log of <Link href={nodeHref(name, address)}>{placeName(address)}</Link>
        </h1>
        <Link href={requestHref(name)}>{name}</Link>
        <div className="end">
          <AsText
            cli={`wms2 logs ${quoted(name)} --unit ${quoted(unit)}${node}`}
            operation="attempts.log"
            input={input}
          />
        </div>
      </div>
      {unit === "" && (
        <Empty title="Which log?">
          <p>
            Open it from a job, or write <code>?unit=mg_000000&amp;node=proc_000000</code> behind the address.
          </p>
        </Empty>
      )}
      <Tabs
        label="File"
        value={address.file}
        options={[
          ["err", "Errors"],
          ["out", "Output"],
        ]}
        onChange={useGo((file) => address.with({ file: file === "err" ? null : file, from: null, at: null }))}
      />
      {error && <Problem error={error} />}
      {unit !== "" && !data && !error && <Loading what="the log" />}
      {data && <Shown address={address} range={data} isOld={isPlaceholderData} />}
    </>
  );
}

/** Goes to the address that is made of what was chosen. */
function useGo<T>(hrefOf: (chosen: T) => string): (chosen: T) => void {
  const [, go] = useLocation();
  return (chosen) => go(hrefOf(chosen));
}

interface ShownProps {
  readonly address: LogAddress;
  readonly range: Answer<"attempts.log">;
  /** The part before is shown until this one is there. */
  readonly isOld: boolean;
}

function Shown({ address, range, isOld }: ShownProps): ReactNode {
  const lines = linesOf(range);
  const { at, q, isFollowed, file } = address;
  const place = at === null || isOld ? -1 : placeOfByte(lines, at);
  const chosen = lines[place];
  const lineHref = (from: number) => address.with({ at: from, from: range.from, cluster: range.cluster, follow: null });
  return (
    <>
      <div className="toolbar">
        <Attempts address={address} range={range} />
        <Find address={address} />
      </div>
      <Move address={address} range={range} />
      {range.size_bytes === 0 ? (
        <Empty title={`It wrote no ${file === "err" ? "errors" : "output"}`}>
          <p>
            Look at the other file, or <Link href={nodeHref(address.name, address)}>at its attempts</Link>.
          </p>
        </Empty>
      ) : (
        <Lines
          label={`Lines of the log, bytes ${range.from} to ${range.to}`}
          lines={lines}
          chosen={place}
          wanted={q}
          isAtEnd={isFollowed || (at === null && range.to === range.size_bytes)}
          hrefOf={lineHref}
        />
      )}
      {chosen && (
        <section className="panel" aria-label="The chosen line">
          <header>
            <h2>{chosen.number === null ? `The line at byte ${chosen.from}` : `Line ${chosen.number}`}</h2>
            <span className="end">
              <CopyButton text={location.href} label="Copy link" />
            </span>
          </header>
          <pre className="body">{chosen.text}</pre>
          {chosen.text.trim() !== "" && <Alike address={address} cluster={range.cluster} line={chosen.text} />}
        </section>
      )}
    </>
  );
}

function Attempts({ address, range }: { address: LogAddress; range: Answer<"attempts.log"> }): ReactNode {
  const go = useGo((cluster: string) => address.with({ cluster: cluster || null, from: null, at: null }));
  return (
    <label>
      <span className="label">Attempt</span>
      <select value={address.cluster ?? ""} onChange={({ target }) => go(target.value)}>
        <option value="">newest</option>
        {range.clusters.map((cluster, index) => (
          <option key={cluster} value={cluster}>
            {index + 1}: job {cluster}
          </option>
        ))}
      </select>
    </label>
  );
}

/** Which part is shown, and the ways to the others. */
function Move({ address, range }: { address: LogAddress; range: Answer<"attempts.log"> }): ReactNode {
  const { before, after } = around(range);
  const to = (from: number | null) => address.with({ from, at: null, follow: null });
  return (
    <div className="actions" role="group" aria-label="Part of the log">
      <span className="quiet number">
        bytes {range.from.toLocaleString("en")} to {range.to.toLocaleString("en")} of {bytes(range.size_bytes)}
      </span>
      {before !== null && <Link href={to(0)}>Beginning</Link>}
      {before !== null && <Link href={to(before)}>Earlier</Link>}
      {after !== null && <Link href={to(after)}>Later</Link>}
      {after !== null && <Link href={to(null)}>End</Link>}
      <Link href={address.with({ follow: address.isFollowed ? null : 1, from: null, at: null })}>
        {address.isFollowed ? "Stop following" : "Follow"}
      </Link>
    </div>
  );
}
