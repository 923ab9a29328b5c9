import { type ReactNode, useState } from "react";
import { Link } from "wouter";
import type { OutputView } from "../../src/operations/workflows.ts";
import { useList } from "../api/queries.ts";
import { AsText } from "../as-text.tsx";
import { Problem } from "../problem.tsx";
import { requestHref } from "../request-status.tsx";
import { Empty, Loading } from "../ui/banner.tsx";
import { CopyButton } from "../ui/copy-button.tsx";
import { type Column, Grid } from "../ui/grid.tsx";
import { useNarrow } from "../ui/narrow.ts";
import { Time } from "../ui/time.tsx";
import { useNames } from "../url-state.ts";
import { bytes, count, quoted } from "../words.ts";
import { RetryBlock, Withdraw } from "./outputs/acts.tsx";
import { BlocksTable } from "./outputs/blocks-table.tsx";
import { blocksSentence } from "./outputs/words.ts";

/** What a request made, and how far the world knows of it. */
export function OutputsPage(): ReactNode {
  const { name = "" } = useNames();
  const files = useList("requests.outputs", { name, limit: 200 });
  const blocks = useList("blocks.ofRequest", { name, limit: 200 });
  const [act, setAct] = useState<{ readonly block: string } | "withdraw" | null>(null);
  const error = files.query.error ?? blocks.query.error;
  const story = blocks.first && blocksSentence(blocks.first.sums);
  return (
    <>
      <div className="title">
        <h1>
          Outputs of <Link href={requestHref(name)}>{name}</Link>
        </h1>
        <div className="end">
          <AsText cli={`wms2 outputs ${quoted(name)}`} operation="requests.outputs" input={{ name }} />
        </div>
      </div>
      {error && <Problem error={error} />}
      {blocks.query.isLoading && <Loading what="the blocks" />}
      {story && !error && (
        <section className={`panel sentence live tone-${story.tone}`} aria-label="In one sentence">
          {story.text}
          {story.since && (
            <>
              {" "}
              <b>The oldest is waiting</b> since <Time at={story.since} as="both" />.
            </>
          )}
        </section>
      )}
      {blocks.items.length > 0 && (
        <section className="panel">
          <header>
            <h2>Blocks</h2>
            <span className="quiet">files that are registered, protected and closed together</span>
            <span className="end">
              <button type="button" className="danger" onClick={() => setAct("withdraw")}>
                Withdraw the outputs …
              </button>
            </span>
          </header>
          <BlocksTable blocks={blocks.items} onRetry={({ name: block }) => setAct({ block })} />
          {blocks.query.hasNextPage && <More onPress={() => void blocks.query.fetchNextPage()} />}
        </section>
      )}
      <Files files={files} />
      {act === "withdraw" && <Withdraw name={name} onClose={() => setAct(null)} />}
      {act !== null && act !== "withdraw" && <RetryBlock block={act.block} onClose={() => setAct(null)} />}
    </>
  );
}

export const More = ({ onPress }: { onPress: () => void }): ReactNode => (
  <p className="body">
    <button type="button" onClick={onPress}>
      Show more
    </button>
  </p>
);

const FILE: Column<OutputView> = {
  key: "lfn",
  title: "File",
  width: "minmax(14rem, 4fr)",
  cell: ({ lfn, dataset }) => (
    <span className="two" title={lfn}>
      <span className="mono">{lfn.slice(lfn.lastIndexOf("/") + 1)}</span>
      <span className="quiet">{dataset}</span>
    </span>
  ),
};
const SIZE: Column<OutputView> = {
  key: "size",
  title: "Size",
  width: "6rem",
  end: true,
  cell: ({ size_bytes }) => bytes(size_bytes),
};
const FILES: readonly Column<OutputView>[] = [
  FILE,
  { key: "unit", title: "Work unit", width: "minmax(7rem, 1fr)", cell: ({ work_unit }) => work_unit },
  { key: "status", title: "State", width: "8rem", cell: ({ status }) => status },
  SIZE,
  {
    key: "events",
    title: "Events",
    width: "7rem",
    end: true,
    cell: ({ events }) => events?.toLocaleString("en") ?? "",
  },
  { key: "path", title: "", width: "8rem", cell: ({ path }) => <CopyButton text={path} label="Copy path" /> },
];

function Files({ files: { items, query } }: { files: ReturnType<typeof useList<"requests.outputs">> }): ReactNode {
  const isNarrow = useNarrow();
  if (query.isLoading) return <Loading what="the files" />;
  if (items.length === 0)
    return (
      <Empty title="No files yet">
        <p>They appear here as work units finish.</p>
      </Empty>
    );
  const total = items.length + (query.hasNextPage ? 1 : 0);
  return (
    <>
      <h2>
        Files{" "}
        <span className="quiet number">
          {count(items.length, "file")}
          {query.hasNextPage ? " so far" : ""}
        </span>
      </h2>
      <Grid
        label="Files"
        rows={items}
        total={total}
        columns={isNarrow ? [FILE, SIZE] : FILES}
        idOf={({ lfn }) => lfn}
        onOpen={({ path }) => void navigator.clipboard?.writeText(path)}
        onNearEnd={() => query.hasNextPage && !query.isFetchingNextPage && void query.fetchNextPage()}
        leastWidth={isNarrow ? "0" : "56rem"}
      />
    </>
  );
}
