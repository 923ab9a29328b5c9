import { useQueryClient } from "@tanstack/react-query";
import { type FormEvent, type ReactNode, useState, useSyncExternalStore } from "react";
import { call } from "./api/client.ts";
import { useAnswer } from "./api/queries.ts";
import { Problem } from "./problem.tsx";
import { Dialog } from "./ui/dialog.tsx";
import { Popover } from "./ui/popover.tsx";
import { Time } from "./ui/time.tsx";

let isWanted = false;
const listeners = new Set<() => void>();
/** Something on the page needs an operator: asks who it is. */
export function askToSignIn(want = true): void {
  isWanted = want;
  for (const listener of listeners) listener();
}
const useWanted = (): boolean =>
  useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => isWanted,
  );

/** Why this browser may not change anything; null: it may. */
export function useWhyNotOperator(): string | null {
  const { data } = useAnswer("sessions.whoami", {});
  return data?.role === "operator" ? null : "sign in first: only operators change things";
}

/** Who this browser is for the server: a reader, or an operator by a token that a cookie stands for. */
export function SignIn(): ReactNode {
  const { data, error } = useAnswer("sessions.whoami", {});
  const queries = useQueryClient();
  const wanted = useWanted() || (error !== null && "status" in error && error.status === 401);
  const signOut = async () => {
    await call("sessions.signOut", {});
    await queries.invalidateQueries();
  };
  return (
    <>
      {data?.role === "operator" ? (
        <Popover button={data.actor ?? "operator"} label="Who you are">
          <p>
            Signed in as <b>{data.actor}</b>
            {data.signed_in_until && (
              <>
                {" "}
                until <Time at={data.signed_in_until} as="absolute" />
              </>
            )}
          </p>
          <button type="button" onClick={() => void signOut()}>
            Sign out
          </button>
        </Popover>
      ) : (
        <button type="button" onClick={() => askToSignIn()}>
          Sign in
        </button>
      )}
      {wanted && <SignInDialog onDone={() => void queries.invalidateQueries()} />}
    </>
  );
}

function SignInDialog({ onDone }: { onDone: () => void }): ReactNode {
  const [problem, setProblem] = useState<unknown>(null);
  const submit = async (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const token = String(new FormData(event.currentTarget).get("token")).trim();
    try {
      await call("sessions.signIn", { token });
      askToSignIn(false);
      onDone();
    } catch (error) {
      setProblem(error);
    }
  };
  return (
    <Dialog title="Sign in" onClose={() => askToSignIn(false)}>
      <form onSubmit={(event) => void submit(event)} className="commands">
        <p>
          Changes need an operator token, so that the audit names you. It is sent once; a cookie stands for it
          afterwards.
        </p>
        <label>
          <span className="label">Operator token</span>
          <input name="token" type="password" autoComplete="current-password" required />
        </label>
        <p className="quiet">
          A new one: <code>wms2 tokens add NAME</code>; the first one is in <code>operator.token</code> of the data
          directory.
        </p>
        {problem !== null && <Problem error={problem} offersSignIn={false} />}
        <button type="submit" className="primary">
          Sign in
        </button>
      </form>
    </Dialog>
  );
}
