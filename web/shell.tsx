import { type ComponentType, type ReactNode, Suspense, useEffect, useState } from "react";
import { Link, Route, Switch, useLocation } from "wouter";
import { tabTitle } from "./address-names.ts";
import { useConnection } from "./api/live.ts";
import { useAnswer } from "./api/queries.ts";
import { Freshness, LostBanner } from "./live-state.tsx";
import { PageGuard } from "./page-guard.tsx";
import { Palette } from "./palette.tsx";
import { PAGES, type Page } from "./routes.tsx";
import { SignIn } from "./sign-in.tsx";
import { Empty, Loading } from "./ui/banner.tsx";
import { KeyList, keyName, useKeys } from "./ui/keys.tsx";
import { Popover } from "./ui/popover.tsx";
import { changeSettings, useSettings } from "./ui/settings.ts";
import { useNames } from "./url-state.ts";

/** What stands around every page: the way to the others, how fresh things are, whose eyes and clock it is for. */
export function Shell(): ReactNode {
  const [open, setOpen] = useState<"keys" | "palette" | null>(null);
  const connection = useConnection();
  useKeys({
    "?": ["this list", () => setOpen("keys")],
    "mod+k": ["find a request or a page", () => setOpen("palette")],
    "/": [
      "to the filter of the page",
      () => document.querySelector<HTMLInputElement>("main input[type=search]")?.focus(),
    ],
  });
  return (
    <>
      <header className="top">
        <button type="button" className="skip" onClick={() => document.getElementById("main")?.focus()}>
          To the content
        </button>
        <Link className="brand" href="/" aria-label="WMS2, to the desk">
          <img src="icon.svg" alt="" />
          <span>WMS2</span>
        </Link>
        <Menu />
        <button type="button" onClick={() => setOpen("palette")} aria-label="Find a request or a page">
          Find <kbd className="hide-narrow">{keyName("mod+k")}</kbd>
        </button>
        <Freshness />
        <Switches onKeys={() => setOpen("keys")} />
        <SignIn />
      </header>
      <main id="main" tabIndex={-1} className={connection === "lost" ? "is-stale" : undefined}>
        <LostBanner />
        <Routed />
      </main>
      {open === "keys" && <KeyList onClose={() => setOpen(null)} />}
      {open === "palette" && <Palette onClose={() => setOpen(null)} />}
    </>
  );
}

/** The page that the address names. */
const Routed = (): ReactNode => (
  <Switch>
    {PAGES.map((page) => (
      <Route key={page.path} path={page.path}>
        <Shown page={page} />
      </Route>
    ))}
    <Route>
      <Shown page={NO_PAGE} />
    </Route>
  </Switch>
);

const NO_PAGE = {
  path: "",
  title: "No such page",
  component: () => (
    <Empty title="There is no such page">
      <p>This address may belong to another version. The menu on top lists all pages.</p>
    </Empty>
  ),
};

/** A page with its name on the tab of the browser, or what keeps it from being shown. */
function Shown({ page }: { page: Pick<Page, "path" | "title" | "component"> }): ReactNode {
  const [at] = useLocation();
  const title = tabTitle(page, useNames());
  useEffect(() => {
    document.title = title;
  }, [title]);
  const Content = page.component as ComponentType;
  return (
    <PageGuard at={at}>
      <Suspense fallback={<Loading what="the page" />}>
        <Content />
      </Suspense>
    </PageGuard>
  );
}

/** A page stands below the one that its address begins with. */
const isWithin = (location: string, path: string): boolean =>
  location === path || (path !== "/" && location.startsWith(`${path}/`));

const IN_BAR = PAGES.filter(({ menu }) => menu === "top");
const IN_MORE = PAGES.filter(({ menu }) => menu === "more");

/** As many fit into a narrow bar (styles/operate.css); the others are in the popover then. */
const NARROW = 3;
const hereIn = (current: (path: string) => unknown): string => {
  if (IN_MORE.some(({ path }) => current(path))) return "here";
  return IN_BAR.slice(NARROW).some(({ path }) => current(path)) ? "here-narrow" : "";
};

function Menu(): ReactNode {
  const [location] = useLocation();
  const current = (path: string) => (isWithin(location, path) ? "page" : undefined);
  const { data } = useAnswer("alerts.list", { limit: 100 });
  const open = data?.open ?? 0;
  const link = ({ path, title }: Page, className?: string) => (
    <Link key={path} href={path} className={className} aria-current={current(path)}>
      {title}
      {path === "/alerts" && open > 0 && (
        <span className="count number">
          {open.toLocaleString("en")}
          <span className="visually-hidden"> open</span>
        </span>
      )}
    </Link>
  );
  return (
    <nav aria-label="Pages">
      {IN_BAR.map((page) => link(page))}
      <Popover button="More" label="More pages" className={hereIn(current)}>
        <div className="menu">
          {IN_BAR.map((page) => link(page, "folded"))}
          {IN_MORE.map((page) => link(page))}
        </div>
      </Popover>
    </nav>
  );
}

const NEXT_THEME = { system: "light", light: "dark", dark: "system" } as const;
const THEME_SIGN = { system: "◐", light: "☀", dark: "☾" } as const;

function Switches({ onKeys }: { onKeys: () => void }): ReactNode {
  const { zone, theme } = useSettings();
  return (
    <>
      <button
        type="button"
        aria-label={`Times are in ${zone === "utc" ? "UTC" : "local time"}: switch`}
        title="Times in UTC or in the zone of this machine"
        onClick={() => changeSettings({ zone: zone === "utc" ? "local" : "utc" })}
      >
        {zone === "utc" ? "UTC" : "Local"}
      </button>
      <button
        type="button"
        aria-label={`Colours: ${theme}. Switch to ${NEXT_THEME[theme]}`}
        title={`Colours: ${theme}`}
        onClick={() => changeSettings({ theme: NEXT_THEME[theme] })}
      >
        {THEME_SIGN[theme]}
      </button>
      <button
        type="button"
        className="hide-narrow"
        aria-label="Keys of this page"
        title="Keys of this page"
        onClick={onKeys}
      >
        ?
      </button>
    </>
  );
}
