import { Component, type ReactNode, useCallback, useEffect, useState } from "react";
import { PAGES, send } from "./api/client.ts";
import { mayReload, PageNotFetched, readLastReload, writeLastReload } from "./reload.ts";
import { Banner } from "./ui/banner.tsx";

interface GuardProps {
  /** Where we are: elsewhere, the page gets another chance. */
  readonly at: string;
  readonly children: ReactNode;
}
interface GuardState {
  readonly error: unknown;
  readonly isBroken: boolean;
}
const WHOLE: GuardState = { error: null, isBroken: false };

/** A page that cannot be shown says so; the bar and the banner around it stay. */
export class PageGuard extends Component<GuardProps, GuardState> {
  override state = WHOLE;

  static getDerivedStateFromError(error: unknown): GuardState {
    return { error, isBroken: true };
  }

  override componentDidUpdate({ at }: GuardProps): void {
    if (this.state.isBroken && at !== this.props.at) this.setState(WHOLE);
  }

  override render(): ReactNode {
    const { error, isBroken } = this.state;
    if (!isBroken) return this.props.children;
    return error instanceof PageNotFetched ? <NotFetched at={this.props.at} /> : <Broken error={error} />;
  }
}

const LOOK_MS = 2000;

/** Asks whether the server gives pages out again. Reloading without an answer would leave nothing at all. */
const isBack = (): Promise<boolean> =>
  send(PAGES, { method: "HEAD", cache: "no-store" }).then(
    ({ ok }) => ok,
    () => false,
  );

/** A browser may remember that a script could not be fetched, and after an upgrade scripts have other names: so all is loaded again. */
function NotFetched({ at }: { at: string }): ReactNode {
  const [isAway, setAway] = useState(false);
  const reload = useCallback(
    async (isAsked: boolean) => {
      if (!isAsked && !mayReload(readLastReload(), at, Date.now())) return;
      if (!(await isBack())) return setAway(true);
      writeLastReload({ at, time: Date.now() });
      location.reload();
    },
    [at],
  );
  useEffect(() => {
    const timer = setInterval(() => void reload(false), LOOK_MS);
    return () => clearInterval(timer);
  }, [reload]);
  return (
    <Banner kind="error">
      <b>This page could not be fetched.</b>
      <span>
        {isAway
          ? "The server does not answer. The page is loaded again as soon as it does."
          : "The server may be away, or was upgraded since you opened the desk. It is tried again by itself."}
      </span>
      <button type="button" onClick={() => void reload(true)}>
        Try again now
      </button>
    </Banner>
  );
}

const Broken = ({ error }: { error: unknown }): ReactNode => (
  <Banner kind="error">
    <b>This page broke: {String(error)}</b>
    <span>That is a mistake in the page, and nothing was changed by it. Load it again, or go to another page.</span>
    <button type="button" onClick={() => location.reload()}>
      Load it again
    </button>
  </Banner>
);
