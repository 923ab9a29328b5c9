import { type ReactNode, useState } from "react";
import type { BlockView } from "../../src/operations/blocks.ts";
import { useList } from "../api/queries.ts";
import { AsText } from "../as-text.tsx";
import { Problem } from "../problem.tsx";
import { Empty, Loading } from "../ui/banner.tsx";
import { RetryBlock } from "./outputs/acts.tsx";
import { BlocksTable } from "./outputs/blocks-table.tsx";
import { blocksSentence } from "./outputs/words.ts";
import { More } from "./outputs.tsx";

/** Output blocks of all requests: what is not made known yet, and why. */
export function BlocksPage(): ReactNode {
  const { items, query, first } = useList("blocks.list", { limit: 200 });
  const [block, setBlock] = useState<BlockView | null>(null);
  const story = first && blocksSentence(first.sums);
  return (
    <>
      <div className="title">
        <h1>Output blocks</h1>
        <div className="end">
          <AsText cli="wms2 blocks list" operation="blocks.list" input={{}} />
        </div>
      </div>
      {query.error && <Problem error={query.error} />}
      {query.isLoading && <Loading what="the blocks" />}
      {!query.isLoading && items.length === 0 && !query.error && (
        <Empty title="There are no blocks yet">
          <p>The first comes with the first work unit that finishes.</p>
        </Empty>
      )}
      {story && items.length > 0 && (
        <>
          <section className={`panel sentence live tone-${story.tone}`} aria-label="In one sentence">
            {story.text}
          </section>
          <section className="panel">
            <BlocksTable blocks={items} hasRequests onRetry={setBlock} />
            {query.hasNextPage && <More onPress={() => void query.fetchNextPage()} />}
          </section>
        </>
      )}
      {block && <RetryBlock block={block.name} onClose={() => setBlock(null)} />}
    </>
  );
}
