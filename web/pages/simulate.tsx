import { useMutation } from "@tanstack/react-query";
import { type ReactNode, useState } from "react";
import { type Answer, call } from "../api/client.ts";
import { useAnswer } from "../api/queries.ts";
import { AsText } from "../as-text.tsx";
import { Problem } from "../problem.tsx";
import { useWhyNotOperator } from "../sign-in.tsx";
import { ActionButton } from "../ui/action-button.tsx";
import { Banner, Loading } from "../ui/banner.tsx";
import { useNow } from "../ui/time.tsx";
import { duration } from "../ui/time-words.ts";
import { useUrlState } from "../url-state.ts";
import { readStory, shareOf } from "./simulate/timeline.ts";

/** What would the loop do if? A scenario in virtual time: real decisions, nothing runs, nothing is kept. */
export function SimulatePage(): ReactNode {
  const url = useUrlState();
  const examples = useAnswer("system.examples", {});
  const all = examples.data?.scenarios ?? [];
  const chosen = all.find(({ file }) => nameOf(file) === url.get("scenario")) ?? all[0];
  return (
    <>
      <div className="title">
        <h1>Simulate</h1>
        <span className="quiet">days in seconds: real decisions, nothing runs</span>
        <div className="end">
          <AsText
            cli={`wms2 simulate ${chosen ? `examples/${chosen.file}` : "FILE"}`}
            operation="system.examples"
            input={{}}
          />
        </div>
      </div>
      {examples.error && <Problem error={examples.error} />}
      {examples.isLoading && <Loading what="the scenarios" />}
      {chosen && (
        <>
          <div className="chips" role="group" aria-label="Scenario">
            {all.map(({ file }) => (
              <button
                key={file}
                type="button"
                aria-pressed={file === chosen.file}
                onClick={() => url.set("scenario", nameOf(file))}
              >
                {nameOf(file)}
              </button>
            ))}
          </div>
          <Told key={chosen.file} about={chosen.about} text={chosen.text} />
        </>
      )}
      {examples.data && all.length === 0 && (
        <Banner kind="info">This installation has no examples; write a scenario: docs/guides/simulate.md.</Banner>
      )}
    </>
  );
}

const nameOf = (file: string): string => file.replace(/^.*\//, "").replace(/\.yaml$/, "");

function Told({ about, text: given }: { about: string; text: string }): ReactNode {
  const [text, setText] = useState(given);
  const notOperator = useWhyNotOperator();
  const run = useMutation({ mutationFn: (scenario: string) => call("system.simulate", { scenario }) });
  return (
    <div className="split">
      <div className="stack">
        <p>{about}</p>
        <div className="actions">
          <ActionButton
            className="primary"
            whyNot={notOperator ?? (run.isPending ? "it is running" : null)}
            onPress={() => run.mutate(text)}
          >
            Run it
          </ActionButton>
          <span className="quiet" role="status">
            {run.isPending ? <Elapsed since={run.submittedAt} /> : (notOperator ?? "It takes some seconds.")}
          </span>
        </div>
        {run.error && <Problem error={run.error} />}
        {run.data && <StoryOf told={run.data} />}
      </div>
      <label>
        <span className="label">The scenario; change it as you like (docs/guides/simulate.md)</span>
        <textarea
          className="mono"
          rows={26}
          wrap="off"
          spellCheck={false}
          value={text}
          onChange={({ target }) => setText(target.value)}
        />
      </label>
    </div>
  );
}

function Elapsed({ since }: { since: number }): ReactNode {
  const now = useNow(1000);
  return <>The story is being told for {duration((now - since) / 1000)} …</>;
}

function StoryOf({ told }: { told: Answer<"system.simulate"> }): ReactNode {
  const story = readStory(told.text);
  return (
    <>
      <Banner kind={told.ok ? "good" : "error"}>
        <b>
          {told.ok ? "All expectations of the scenario were met." : "Not all expectations of the scenario were met."}
        </b>
      </Banner>
      <section className="panel" aria-label="Timeline">
        <header>
          <h2>Timeline</h2>
          <span className="quiet">{story.moments.length} moments</span>
        </header>
        <ol className="body story">
          {story.moments.map((moment, at) => (
            <li key={at} className={moment.kind.replaceAll(" ", "-")}>
              <span className="number quiet">{moment.stamp}</span>
              <span className="along" aria-hidden="true">
                <i style={{ width: `${shareOf(story, moment)}%` }} />
              </span>
              <span>
                {moment.kind !== "told" && <b>{moment.kind === "trouble" ? "! " : "» "}</b>}
                {moment.text}
              </span>
            </li>
          ))}
        </ol>
      </section>
      <section className="panel" aria-label="Summary">
        <header>
          <h2>In the end</h2>
        </header>
        <pre className="body">{story.summary}</pre>
      </section>
    </>
  );
}
