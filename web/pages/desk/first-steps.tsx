import type { ReactNode } from "react";
import { Link } from "wouter";
import { useAnswer } from "../../api/queries.ts";
import { Empty } from "../../ui/banner.tsx";
import { Command } from "../../ui/copy-button.tsx";

/** A fresh server: what to press or type to see something here. */
export function FirstSteps(): ReactNode {
  const { data } = useAnswer("system.examples", {});
  const example = data?.requests[0];
  return (
    <Empty title="Nothing was submitted yet">
      {example && (
        <>
          <p>{example.about}</p>
          <p>
            <Link className="button primary" href={`/submit?example=${encodeURIComponent(example.file)}`}>
              Run the example
            </Link>
          </p>
          <p>It takes less than a minute. The same from a terminal:</p>
        </>
      )}
      <Command text="wms2 submit examples/generate.yaml" />
      <p>
        Your own: <Link href="/submit">write it here</Link>, with what it would do beside it;{" "}
        <code>docs/requests.md</code> says what a request looks like.
      </p>
    </Empty>
  );
}
