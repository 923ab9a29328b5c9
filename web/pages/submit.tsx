import { useQuery, useQueryClient } from "@tanstack/react-query";
import { type ReactNode, useDeferredValue, useEffect, useRef, useState } from "react";
import { Link, useLocation } from "wouter";
import { isTerminal } from "../../src/core/request-status.ts";
import { ONLY_A_LOOK } from "../act/act-dialog.tsx";
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
  // So does what a clone begins with.
  const cloned = url.get("clone") ?? null;
  const original = useAnswer("requests.document", { name: cloned ?? "" }, { enabled: cloned !== null });
  const begin = example?.text ?? (cloned === null ? undefined : (original.data?.document ?? ""));
  const text = begin ?? draft;
  const next = url.get("next") ?? null;
  const change = (changed: string) => {
    setDraft(changed);
    if (wanted !== undefined) url.set("example", null, { replace: true });
    if (cloned !== null) url.set("clone", null, { replace: true });
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
      {cloned !== null && original.data?.document === null && (
        <Banner kind="warning">The document of {cloned} was not kept: it was imported, or submitted long ago.</Banner>
      )}
      {(wanted !== undefined && examples.isLoading) || (cloned !== null && original.isLoading) ? (
        <Loading what={cloned === null ? "the example" : "the document"} />
      ) : (
        <Work
          text={text}
          onChange={change}
          against={url.get("against") ?? next}
          next={next}
          onSent={() => setDraft("")}
        />
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
  /** The request whose next version it is; null: it is a request of its own. */
  readonly next: string | null;
  readonly onSent: () => void;
}

/** What it comes to that it is the next version: the other one ends, and this begins. */
function useRestart(name: string | null, from: string, isAllowed: boolean) {
  return useQuery({
    queryKey: ["next", name, from],
    queryFn: ({ signal }) =>
      call("actions.restart", { name: name ?? "", from, reason: ONLY_A_LOOK, dry_run: true }, { signal }),
    enabled: name !== null && isAllowed,
    retry: false,
    refetchInterval: false,
  });
}

/** Hands it in and goes to the request; what went wrong stays on the page. */
function useSend(text: string, next: { readonly name: string; readonly reason: string } | null, onSent: () => void) {
  const [, go] = useLocation();
  const queries = useQueryClient();
  const [problem, setProblem] = useState<unknown>(null);
  const [isBusy, setBusy] = useState(false);
  const send = async () => {
    setBusy(true);
    setProblem(null);
    try {
      const name = next ? await restarted(next, text) : await submitted(text);
      onSent();
      await queries.invalidateQueries();
      if (name !== null) go(requestHref(name));
    } catch (error) {
      setProblem(error);
      setBusy(false);
    }
  };
  return { send, problem, isBusy };
}

async function submitted(text: string): Promise<string | null> {
  const made = await call("requests.submit", { body: text });
  return "request_name" in made ? made.request_name : null;
}
async function restarted(next: { readonly name: string; readonly reason: string }, from: string): Promise<string> {
  const { detail, status } = await call("actions.restart", { ...next, from });
  // One that runs is stopped first, and tells of its next version when that has begun.
  return isTerminal(status) && typeof detail.clone === "string" ? detail.clone : next.name;
}

function Work({ text, onChange, against, next, onSent }: WorkProps): ReactNode {
  const box = useRef<HTMLTextAreaElement>(null);
  const notOperator = useWhyNotOperator();
  const check = useCheck(text, notOperator === null);
  const [reason, setReason] = useState("");
  const { send, problem, isBusy } = useSend(text, next === null ? null : { name: next, reason }, onSent);
  const isEmpty = text.trim() === "";
  const problems = check.error instanceof ApiProblem ? (check.error.view.problems ?? []) : [];
  const marks = useDeferredValue(marksOf(check.isOfText ? problems : []));
  const checked = check.error ? null : (check.data ?? null);
  const foreseen = useRestart(next, text, checked !== null && check.isOfText);
  const isTaken = next === null && checked?.taken === true;
  const whyNot =
    (isEmpty ? "there is nothing to submit yet" : null) ??
    notOperator ??
    (check.error ? "it has problems: see beside" : null) ??
    (checked === null || !check.isOfText ? "it is being checked" : null) ??
    (isTaken ? `there is a request ${checked?.name} already: choose another name` : null) ??
    (next === null ? null : whyNotNext(foreseen, reason)) ??
    (isBusy ? "it is being submitted" : null);
  return (
    <div className="split">
      <div className="stack">
        <Editor text={text} onChange={onChange} marks={marks} box={box} />
        {next !== null && (
          <label>
            <span className="label">Reason (kept with {next} and its next version)</span>
            <input required value={reason} maxLength={1000} onChange={({ target }) => setReason(target.value)} />
          </label>
        )}
        <div className="actions">
          <ActionButton className="primary" whyNot={whyNot} onPress={() => void send()}>
            {next !== null
              ? `Submit as the next version of ${next}`
              : checked?.name && !checked.taken
                ? `Submit ${checked.name}`
                : "Submit"}
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
        {foreseen.data && (
          <Banner kind="info">
            <b>Preview:</b> <span>{foreseen.data.message}</span>
          </Banner>
        )}
        {checked && <Told checked={checked} against={against} isNext={next !== null} />}
        {isEmpty && <WhatToWrite />}
      </div>
    </div>
  );
}

/** null: it may be submitted. */
function whyNotNext({ data, error }: { data?: unknown; error: unknown }, reason: string): string | null {
  if (error) return error instanceof Error ? error.message : "it cannot be the next version";
  return data === undefined ? "it is being checked" : reason.trim() === "" ? "enter a reason" : null;
}

interface ToldProps {
  readonly checked: Checked;
  readonly against: string | null;
  readonly isNext: boolean;
}

function Told({ checked, against, isNext }: ToldProps): ReactNode {
  const other = against ?? (checked.taken ? checked.name : null);
  return (
    <>
      {checked.taken && !isNext && checked.name && (
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
