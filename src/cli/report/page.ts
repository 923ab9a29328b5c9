import { VERSION } from "../../core/base/version.ts";
import { JOB_STATE, SHOWN_JOB_STATES } from "../../core/job-state.ts";
import { duration, stamp, thousands } from "../view/text.ts";
import { jobStates, type ReportFacts, tallyStates } from "./facts.ts";
import { failureList, jobTable } from "./failures.ts";
import { drawTimeline } from "./gantt.ts";
import { drawGraph } from "./graph-drawing.ts";
import { Html, html, when } from "./html.ts";
import { STYLES } from "./styles.ts";
import { usageTable } from "./usage.ts";

/** A page that needs nothing else: no network, no script. What was cut is said. */
export function reportPage(facts: ReportFacts): string {
  const { request, graph, attempts, results, errors } = facts;
  const sections: readonly (readonly [string, Html | null])[] = [
    ["Graph", graph && graph.jobs > 0 ? graphSection(facts) : null],
    ["Timeline", drawTimeline(attempts)],
    ["Resources", usageTable(results, request.spec.resources.cores)],
    ["Failures", failureList(errors)],
    ["Jobs", results.length > 0 ? jobTable(results) : null],
    ["How to reproduce", reproduce(facts)],
  ];
  const shown = sections.flatMap(([title, body]) =>
    body ? [html`<section><h2>${title}</h2>${body}</section>\n`] : [],
  );
  const page = html`<html lang="en"><head><meta charset="utf-8"/><meta name="viewport" content="width=device-width, initial-scale=1"/>
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'"/>
<title>${request.request_name}: ${request.status}</title><style>${new Html(STYLES)}</style></head>
<body><main>${head(facts)}${shown}</main></body></html>
`;
  return `<!DOCTYPE html>\n${page.text}`;
}

function head({ request, now, server, results, credited, attempts, isCut }: ReportFacts): Html {
  const { status, created_at, status_since, requestor, campaign } = request;
  const ended = ["completed", "failed", "aborted"].includes(status);
  const cpu = attempts.reduce((sum, { cpu_sec }) => sum + (cpu_sec ?? 0), 0);
  const lost = attempts
    .filter(({ decision }) => decision !== "done")
    .reduce((sum, one) => sum + (one.wall_sec ?? 0), 0);
  const counts = tallyStates(results.map(({ state }) => state));
  const cards: readonly (readonly [string, string])[] = [
    ...SHOWN_JOB_STATES.flatMap((state): [string, string][] =>
      counts[state] ? [[thousands(counts[state]), state]] : [],
    ),
    ...(credited > 0 ? [[thousands(credited), "credited: done by an earlier version, still good"] as const] : []),
    [thousands(attempts.length), "attempts"],
    [duration(cpu), "of CPU"],
    ...(lost > 0 ? [[duration(lost), "of attempts that failed"] as const] : []),
    [
      duration((Date.parse(ended ? status_since : now.toISOString()) - Date.parse(created_at)) / 1000),
      ended ? "from first to last" : "so far",
    ],
  ];
  return html`<h1>${request.request_name} <span class="chip ${CHIPS.includes(status) ? status : "other"}">${status}</span></h1>
<p>${request.kind}: ${String(request.work.summary)}${campaign ? `, campaign ${campaign}` : ""}${requestor ? `, for ${requestor}` : ""}</p>
<p><b>Because:</b> ${because(request)}</p>
<p class="dim">Submitted ${stamp(created_at)} UTC, ${status} since ${stamp(status_since)} UTC. Report of ${stamp(now.toISOString())} UTC by wms2 ${VERSION} at ${server}.</p>
${when(isCut, () => html`<p><b>Cut:</b> there are more jobs or attempts than were read; numbers here are of those that were.</p>`)}
<div class="cards">${cards.map(([number, what]) => html`<div class="card"><b>${number}</b>${what}</div>`)}</div>`;
}
const CHIPS: readonly string[] = ["completed", "failed", "aborted", "held", "active"];

function because({ hold, error, waiting, status_transitions: moves, status_meaning }: ReportFacts["request"]): string {
  if (hold) return `${hold.code}: ${hold.message}`;
  if (error) return `${error.code}: ${error.message}`;
  return waiting?.reason ?? moves.at(-1)?.reason ?? status_meaning;
}

function graphSection(facts: ReportFacts): Html {
  const graph = facts.graph!;
  const stateOf = jobStates(facts);
  const present = tallyStates(Array.from({ length: graph.jobs }, (_, index) => stateOf(index)));
  const legend = SHOWN_JOB_STATES.flatMap((state) =>
    present[state]
      ? [html`<span class="chip ${state}">${JOB_STATE[state].letter}</span> ${state}: ${thousands(present[state])} `]
      : [],
  );
  const what = {
    jobs: "Each box is a job",
    templates: "Each box is an entry of the document",
    layers: "Each box is a layer",
  };
  return html`<p>${legend}</p><p class="dim">${what[graph.of]}; what waits stands to the right of what it waits for.</p><div class="scroll">${drawGraph(graph, facts)}</div>`;
}

const MOST_DOCUMENT = 200_000;

function reproduce({ request, document, credited }: ReportFacts): Html {
  const name = request.request_name;
  const cut = document.length > MOST_DOCUMENT;
  return html`${when(credited > 0, () => html`<p>${thousands(credited)} jobs were not run here: an earlier version${request.previous_version_request ? ` (${request.previous_version_request})` : ""} had done them, and nothing they depend on has changed.</p>`)}
<pre>wms2 submit ${name}.yaml
wms2 results ${name} --csv</pre>
<details><summary>${name}.yaml: the request as it was understood; scripts and files it names are not in it</summary><pre>${document.slice(0, MOST_DOCUMENT)}${cut ? "\n… cut" : ""}</pre></details>`;
}
