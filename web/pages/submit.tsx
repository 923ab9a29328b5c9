import { useQuery, useQueryClient } from "@tanstack/react-query";
import { type ReactNode, useDeferredValue, useEffect, useRef, useState } from "react";
import { Link, useLocation } from "wouter";
import { ApiProblem, call } from "../api/client.ts";
import { useAnswer } from "../api/queries.ts";
import { AsText } from "../as-text.tsx";
import { Problem } from "../problem.tsx";
import { requestHref } from "../request-status.tsx";
import { askToSignIn, useWhyNotOperator } from "../sign-in.tsx";
import { ActionButton } from "../ui/action-button.tsx";
import { Banner, Loading } from "../ui/banner.tsx";
import { useUrlState } from "../url-state.ts";
import { type Checked, Difference, Preview, Problems } from "./submit/checked.tsx";
import { useDraft } from "./submit/draft.ts";
import { Editor, goToLine } from "./submit/editor.tsx";
import { marksOf } from "./submit/lines.ts";

const CHECK_AFTER_MS = 400;

/** What would it do? Checked while somebody types, each problem at its line; then submitted. */
export function SubmitPage(): ReactNode {
  const url = useUrlState();
  const [draft, setDraft] = useDraft();
  const examples = useAnswer("system.examples", {});
  const wanted = url.get("example");
  const example = examples.data?.requests.find(({ file }) => file === wanted);
  // An example stands in the address until somebody changes it: then it is their text.
  const text = example ? example.text : draft;
  const change = (next: string) => {
    setDraft(next);
    if (wanted !== undefined) url.set("example", null, { replace: true });
  };
  return (
    <>
      <div className="title">
        <h1>Submit a request</h1>
        <div className="end">
          {(examples.data?.requests ?? []).map(({ file }) => (
            <button key={file} type="button" onClick={() => url.set("example", file)}>
              Example: {file}
            </button>
          ))}
          <AsText
            cli={`wms2 submit ${example ? `examples/${example.file}` : "FILE"}`}
            operation="system.examples"
            input={{}}
          />
        </div>
      </div>
      {example && <Banner kind="info">{example.about}</Banner>}
      {wanted !== undefined && examples.isLoading ? (
        <Loading what="the example" />
      ) : (
        <Work text={text} onChange={change} against={url.get("against") ?? null} onSent={() => setDraft("")} />
      )}
    </>
  );
}

/** Asks the server what it makes of the text, a moment after the last key. */
function useCheck(text: string, isAllowed: boolean) {
  const [settled, setSettled] = useState(text);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(text), CHECK_AFTER_MS);
    return () => clearTimeout(timer);
  }, [text]);
  const check = useQuery({
    queryKey: ["check", settled],
    queryFn: async ({ signal }) =>
      (await call("requests.submit", { body: settled, dry_run: true, compare: true }, { signal })) as Checked,
    enabled: isAllowed && settled.trim() !== "",
    retry: false,
    staleTime: 10_000,
    refetchInterval: false,
  });
  return { ...check, isOfText: settled === text };
}

interface WorkProps {
  readonly text: string;
  readonly onChange: (text: string) => void;
  readonly against: string | null;
  readonly onSent: () => void;
}

/** Hands it in and goes to the request; what went wrong stays on the page. */
function useSend(text: string, onSent: () => void) {
  const [, go] = useLocation();
  const queries = useQueryClient();
  const [problem, setProblem] = useState<unknown>(null);
  const [isBusy, setBusy] = useState(false);
  const send = async () => {
    setBusy(true);
    setProblem(null);
    try {
      const made = await call("requests.submit", { body: text });
      onSent();
      await queries.invalidateQueries();
      if ("request_name" in made) go(requestHref(made.request_name));
    } catch (error) {
      setProblem(error);
      setBusy(false);
    }
  };
  return { send, problem, isBusy };
}

function Work({ text, onChange, against, onSent }: WorkProps): ReactNode {
  const box = useRef<HTMLTextAreaElement>(null);
  const notOperator = useWhyNotOperator();
  const check = useCheck(text, notOperator === null);
  const { send, problem, isBusy } = useSend(text, onSent);
  const isEmpty = text.trim() === "";
  const problems = check.error instanceof ApiProblem ? (check.error.view.problems ?? []) : [];
  const marks = useDeferredValue(marksOf(check.isOfText ? problems : []));
  const checked = check.error ? null : (check.data ?? null);
  const whyNot =
    (isEmpty ? "there is nothing to submit yet" : null) ??
    notOperator ??
    (check.error ? "it has problems: see beside" : null) ??
    (checked === null || !check.isOfText ? "it is being checked" : null) ??
    (checked?.taken ? `there is a request ${checked.name} already: choose another name` : null) ??
    (isBusy ? "it is being submitted" : null);
  return (
    <div className="split">
      <div className="stack">
        <Editor text={text} onChange={onChange} marks={marks} box={box} />
        <div className="actions">
          <ActionButton className="primary" whyNot={whyNot} onPress={() => void send()}>
            {checked?.name && !checked.taken ? `Submit ${checked.name}` : "Submit"}
          </ActionButton>
          <span className="quiet" role="status">
            {isEmpty ? "Write a request, or begin with an example." : (whyNot ?? "It can be submitted.")}
          </span>
        </div>
        {problem !== null && <Problem error={problem} />}
      </div>
      <div className="stack">
        {notOperator && <NeedsOperator />}
        {check.error && !isEmpty && <Problems error={check.error} onLine={(line) => goToLine(box.current, line)} />}
        {checked && <Told checked={checked} against={against} />}
        {isEmpty && <WhatToWrite />}
      </div>
    </div>
  );
}

function Told({ checked, against }: { checked: Checked; against: string | null }): ReactNode {
  const other = against ?? (checked.taken ? checked.name : null);
  return (
    <>
      {checked.taken && checked.name && (
        <Banner kind="warning">
          There is a request <Link href={requestHref(checked.name)}>{checked.name}</Link> already. Give this one another
          name.
        </Banner>
      )}
      <Preview checked={checked} />
      {other && <Difference checked={checked} against={other} />}
    </>
  );
}

const NeedsOperator = (): ReactNode => (
  <Banner kind="warning">
    Checking and submitting need an operator.
    <button type="button" onClick={() => askToSignIn()}>
      Sign in
    </button>
  </Banner>
);

const WhatToWrite = (): ReactNode => (
  <p className="quiet">
    What a request looks like: <code>docs/requests.md</code>. What it names on disk must be there as the server sees it;
    files beside it travel with <code>wms2 submit FILE</code>.
  </p>
);
