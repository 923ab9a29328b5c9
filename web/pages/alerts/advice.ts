import { requestHref } from "../../request-status.tsx";

interface Advice {
  /** What to do about it. */
  readonly todo: string;
  /** Where more about it is said; null: nowhere here. */
  readonly href: string | null;
}

const SYSTEM = "/system";
/** By the family of an alert's key (docs/guides/alerts.md); a function of the subject where it has a page. */
const FAMILIES: Readonly<Record<string, readonly [todo: string, href: ((subject: string) => string) | string | null]>> =
  {
    held: ["look at why: its page says what helps", requestHref],
    wait: ["do what its reason names; it goes on by itself then", requestHref],
    stuck: ["see what it waits for; more slots or another site may help", requestHref],
    errors: ["read what every pass says about it; when it was fixed, the next pass goes on", requestHref],
    blocks: ["fix what the catalog says, then do what its message ends with", requestHref],
    reqmgr2: ["compare it with ReqMgr2, then import it again or abort it", requestHref],
    "unknown-run": [
      "say which database is right before anything is removed (docs/guides/housekeeping.md)",
      requestHref,
    ],
    housekeeping: ["give the server the right to remove these files, or remove them by hand", requestHref],
    identity: ["renew the certificate or proxy, as its message says", SYSTEM],
    engine: ["see whether its daemons run; requests wait and lose nothing meanwhile", SYSTEM],
    "catalog-unreachable": ["nothing, unless it lasts: requests that need it wait, all others go on", SYSTEM],
    sites: ["compare the answer with the sites here (wms2 sites sync --dry-run); nothing was changed", "/sites"],
    disk: ["free space, or move the directory; when it is full nothing can be written", SYSTEM],
    sink: ["see whether the sink is reachable and its secrets are right; it is tried again by itself", null],
  };

/** What to do, and where to look: by what the alert is about. */
export function adviceFor(key: string, subject: string): Advice {
  const [todo, href] = FAMILIES[key.split(":", 1)[0] ?? ""] ?? ["read what it says, and close in on its subject", null];
  return { todo, href: typeof href === "function" ? href(subject) : href };
}
