import type { ReactNode } from "react";
import { ApiProblem } from "./api/client.ts";
import { askToSignIn } from "./sign-in.tsx";
import { Banner } from "./ui/banner.tsx";

/** What went wrong, to what, and what to try: as the server says it. */
export function Problem({ error, offersSignIn = true }: { error: unknown; offersSignIn?: boolean }): ReactNode {
  if (!(error instanceof ApiProblem)) return <Banner kind="error">{String(error)}</Banner>;
  const { hint, problems } = error.view;
  return (
    <Banner kind="error">
      <b>{error.message}</b>
      {error.status === 401 && offersSignIn ? (
        <button type="button" onClick={() => askToSignIn()}>
          Sign in
        </button>
      ) : (
        hint && <span>Try: {hint}</span>
      )}
      {problems && problems.length > 0 && (
        <ul>
          {problems.map(({ path, message, allowed }) => (
            <li key={`${path} ${message}`}>
              {path && <code>{path}</code>} {message}
              {allowed && <span className="quiet"> (allowed: {allowed})</span>}
            </li>
          ))}
        </ul>
      )}
    </Banner>
  );
}
