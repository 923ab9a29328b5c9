import { setTimeout as sleep } from "node:timers/promises";
import { requestUrl } from "../../core/base/desk-url.ts";
import { WorldError } from "../../core/base/errors.ts";
import type { RunView } from "../../operations/runs.ts";
import { follow, type Show } from "../follow.ts";
import { tellLines } from "../request-file.ts";
import type { GlobalOptions } from "../settings.ts";
import { personShow } from "../shows.ts";
import { lookAt, print, talk, tellWarnings } from "../terminal.ts";
import { runPage } from "../view/run-page.ts";
import type { RunEnd } from "../view/run-summary.ts";
import type { WatchedRequest } from "../view/watched.ts";
import { abortable, leave } from "./interrupt.ts";
import { type RunServer, runServer } from "./server.ts";
import { typedWhere } from "./typed-again.ts";

interface RunOptions extends GlobalOptions {
  readonly json?: boolean | undefined;
  readonly dryRun?: boolean | undefined;
  readonly explain?: boolean | undefined;
}

interface Wanted {
  /** The file the document came from, for the lines of its problems; null: none. */
  readonly file: string | null;
  readonly body: unknown;
  /** What to type to run it again. */
  readonly again: string;
}

export type Outcome<T> =
  | { readonly kind: "told"; readonly run: RunView }
  | { readonly kind: "interrupted" }
  | { readonly kind: "ended"; readonly run: RunView; readonly end: RunEnd; readonly more: T };

const LOOK_EVERY_MS = 100;

/** Runs a document to its end on the server that is there, or on one for as long as it takes. `more` is asked while the server is up. */
export async function carryOut<T>(
  { file, body, again }: Wanted,
  options: RunOptions,
  more: (server: RunServer, end: RunEnd) => Promise<T>,
): Promise<Outcome<T>> {
  const stop = abortable();
  const server = runServer(options);
  try {
    await server.ensure();
    const start = () => server.client.runs.start({ body, dry_run: options.dryRun === true });
    const run = await onAServer(server, () => (file === null ? start() : tellLines(file, start())));
    tellWarnings(run.warnings);
    if (options.dryRun || run.kind === "nothing") return { kind: "told", run };
    if (options.explain && !options.json) print(runPage(run, lookAt(process.stdout)));
    else if (!options.json && run.kind !== "submit") talk(run.reason);
    if (!options.json)
      talk(`its page${server.isOwn ? ", while it runs" : ""}: ${requestUrl(server.client.url, run.request_name)}`);
    if (run.previous !== null) await untilThere(server, run.request_name);
    const watched = await watch(server, run.request_name, options, stop.signal);
    if (stop.signal.aborted) {
      await leave(server, run.request_name, again);
      return { kind: "interrupted" };
    }
    const end: RunEnd = {
      watched,
      errors: watched.request.status === "completed" || !watched.dag ? null : await errorsOf(server, run.request_name),
      credited: run.jobs?.credited ?? 0,
      again,
      where: typedWhere(options),
      serverStays: !server.isOwn,
    };
    return { kind: "ended", run, end, more: await more(server, end) };
  } finally {
    await server.close();
    stop.forget();
  }
}

const errorsOf = ({ client }: RunServer, name: string) => client.attempts.errors({ name });

/** The server of another run may close between two calls. */
async function onAServer<T>(server: RunServer, ask: () => Promise<T>): Promise<T> {
  return ask().catch(async (error: unknown) => {
    if (!(error instanceof WorldError) || error.code !== "server-unreachable") throw error;
    await server.ensure();
    return ask();
  });
}

/** The next version of a held request is made by the loop, a moment after it was asked for. */
async function untilThere({ client }: RunServer, name: string): Promise<void> {
  for (const end = Date.now() + THERE_WITHIN_MS; ; await sleep(50)) {
    try {
      await client.requests.show({ name });
      return;
    } catch (error) {
      if (!(error instanceof WorldError) || error.code !== "not-found" || Date.now() > end) throw error;
    }
  }
}
const THERE_WITHIN_MS = 60_000;

const SILENT: Show = { update() {}, close() {} };

async function watch(server: RunServer, name: string, { json }: RunOptions, signal: AbortSignal) {
  const show = json ? SILENT : personShow(process.stderr);
  const options = { everyMs: LOOK_EVERY_MS, signal, endOnly: json === true };
  const [watched] = await follow(server.client, [name], replacing(server, show), options);
  return watched as WatchedRequest;
}

/** When the server was that of another run which is over, this one goes on with its own. */
const replacing = (server: RunServer, show: Show): Show => ({
  update(watched, notice) {
    // What keeps it from starting is seen by whoever follows: nobody answers.
    if (notice?.kind === "silent") server.ensure().catch(() => {});
    show.update(watched, notice);
  },
  close: () => show.close(),
});
