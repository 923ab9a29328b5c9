import type { FormEvent, ReactNode } from "react";
import type { Answer } from "../../api/client.ts";
import { useAnswer } from "../../api/queries.ts";
import { Problem } from "../../problem.tsx";
import { Letter } from "../../ui/badge.tsx";
import { Banner, Loading } from "../../ui/banner.tsx";
import { Time } from "../../ui/time.tsx";
import type { useUrlState } from "../../url-state.ts";
import { lookOf, replaySentence } from "./words.ts";

const FIELDS = [
  ["of", "Request", "muons-reco"],
  ["node", "Node", "mg_000003/proc_000021"],
] as const;

/** What was decided of the last attempt of a node, and what would be decided now. */
export function Replay({ url }: { url: ReturnType<typeof useUrlState> }): ReactNode {
  const [of, node] = [url.get("of"), url.get("node")];
  const ask = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const form = new FormData(event.currentTarget);
    url.setAll(Object.fromEntries(FIELDS.map(([name]) => [name, String(form.get(name)).trim()])));
  };
  return (
    <section className="panel" aria-label="Decide again">
      <header>
        <h2>Decide again</h2>
        <span className="quiet">the last attempt of a node, with the policy in force: then and now</span>
      </header>
      <div className="body commands">
        <form className="toolbar" onSubmit={ask} key={`${of} ${node}`}>
          {FIELDS.map(([name, label, hint]) => (
            <label key={name} className="grow">
              <span className="label">{label}</span>
              <input name={name} required defaultValue={url.get(name) ?? ""} placeholder={hint} />
            </label>
          ))}
          <button type="submit">Decide again</button>
        </form>
        {of && node && <Replayed name={of} node={node} />}
      </div>
    </section>
  );
}

function Replayed({ name, node: asked }: { name: string; node: string }): ReactNode {
  const [unit = asked, node = unit] = asked.split("/", 2);
  const { data, error } = useAnswer("policy.replay", { name, unit, node });
  if (error) return <Problem error={error} />;
  if (!data) return <Loading what="what was recorded" />;
  const { before, present, differs } = data;
  return (
    <>
      <Banner kind={differs ? "warning" : "good"}>
        <b>{replaySentence(before, present)}</b>
      </Banner>
      <p className="quiet">
        Exit {data.exit_code} at {data.site ?? "an unknown site"}, job {data.cluster}
      </p>
      <div className="columns">
        <Ruled title="Then" ruled={before} at={before.at} />
        <Ruled title="Now" ruled={present} />
      </div>
    </>
  );
}

interface RuledProps {
  readonly title: string;
  readonly ruled: Answer<"policy.replay">["present"];
  readonly at?: string;
}

function Ruled({ title, ruled, at }: RuledProps): ReactNode {
  const [tone, letter] = lookOf(ruled.decision);
  return (
    <section aria-label={title} className="commands">
      <h3>
        {title} {at && <Time at={at} as="both" />}
      </h3>
      <p className="badge verdict">
        <Letter tone={tone} letter={letter} /> <b>{ruled.decision}</b>
        <span className="quiet">by {ruled.rule ?? "no row"}</span>
      </p>
      <p>{ruled.reason}</p>
    </section>
  );
}
