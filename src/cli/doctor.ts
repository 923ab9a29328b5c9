import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { hostname, tmpdir } from "node:os";
import { join } from "node:path";
import { checkCertificate } from "../catalogs/cms/http/check-certificate.ts";
import type { Config } from "../config/settings.ts";
import { describeError, WorldError } from "../core/base/errors.ts";
import type { PingOutcome } from "../engines/port.ts";
import type { StatusView } from "../operations/system.ts";
import { type Client, makeClient } from "./client.ts";
import { collect, command } from "./command.ts";
import { directoryChecks, machineChecks } from "./machine.ts";
import { clientFor, liveServer, namedServer, ownToken, reach } from "./reach.ts";
import { stopLocalEngine } from "./run/stop-engine.ts";
import { serveSettings } from "./serve.ts";
import type { GlobalOptions } from "./settings.ts";
import { type Check, checkLines, fail, ok, warn } from "./view/checks.ts";
import { count, duration } from "./view/text.ts";

export const addDoctor = command("doctor", {
  about: "check engine, database, disk, clock and limits, and say how to fix problems",
  options: {
    "--engine <kind>": "check as if the server ran with this engine: local or dagman",
    "--set <key=value>": { about: "as for serve; may be repeated", parse: collect },
  },
  examples: [
    "wms2 doctor",
    "wms2 doctor --engine dagman",
    "wms2 doctor --json | jq '.checks[] | select(.result != \"ok\")'",
  ],
  more: "Exits with 6 when anything fails; warnings do not count.",
  async run({ options }) {
    const config = serveSettings(options);
    const { status, checks: ofServer } = await askServer(config, options);
    const directories = status ? await directoriesOf(status) : await directoryChecks(config);
    const parts = status ? partsOf(status) : await tryParts(config);
    const outside = await catalogChecks(config);
    const checks = [...machineChecks(), ...directories, ...parts, ...outside, ...ofServer, tokenCheck(config, options)];
    const number = (wanted: Check["result"]) => checks.filter(({ result }) => result === wanted).length;
    const failed = number("fail");
    return {
      json: { ok: failed === 0, checks },
      page: (look) => checkLines(checks, { ...look, width: Math.min(120, look.width) }),
      note: `${count(failed, "failure")}, ${count(number("warn"), "warning")}`,
      ...(failed && { exit: 6 }),
    };
  },
});

/** The directories of the server that answers, whatever the settings here say; they are on its machine. */
async function directoriesOf({ host, directories, engine }: StatusView): Promise<readonly Check[]> {
  if (host === hostname())
    return directoryChecks({ ...directories, "engine.kind": engine.name === "dagman" ? "dagman" : "local" });
  return [
    warn("spool", `${directories.spool_dir} is on ${host}: not looked at from here`, `run wms2 doctor on ${host}`),
  ];
}

const partsOf = (status: StatusView): Check[] => [
  ...engineChecks(status.engine.name, status.engine),
  ok("database", `${status.store.kind}; asked through the server`),
];

/** Opens engine and database as a server would; before the first start in a directory that is removed again. */
async function tryParts(config: Config): Promise<Check[]> {
  if (existsSync(config.data_dir)) return openParts(config);
  const data_dir = mkdtempSync(join(tmpdir(), "wms2-doctor-"));
  try {
    return await openParts({ ...config, data_dir });
  } finally {
    await stopLocalEngine(data_dir);
    rmSync(data_dir, { recursive: true, force: true });
  }
}

async function openParts(config: Config): Promise<Check[]> {
  const { makeEngine, openStoreFor } = await import("../main.ts");
  const engine = await opened(
    "engine",
    async () => makeEngine(config),
    async (engine) => engineChecks(engine.name, await engine.ping()),
  );
  const database = await opened(
    "database",
    () => openStoreFor(config),
    async (store) => {
      await store.ping();
      return [ok("database", `${config["database.url"] ? "PostgreSQL" : "embedded"}; opens and answers`)];
    },
  );
  return [...engine, ...database];
}

async function opened<P extends { close(): Promise<void> }>(
  what: string,
  open: () => Promise<P>,
  look: (part: P) => Promise<Check[]>,
): Promise<Check[]> {
  try {
    const part = await open();
    return await look(part).finally(() => part.close());
  } catch (error) {
    return [fail(what, describeError(error), error instanceof WorldError ? error.hint : "see the message")];
  }
}

/** Asked from here, with the files of these settings: a server elsewhere may have others. */
async function catalogChecks(config: Config): Promise<readonly Check[]> {
  const { cmsOptions, makeCatalog } = await import("../main.ts");
  const { services } = makeCatalog(config);
  if (services === null) return [];
  const certificate = await checkCertificate(cmsOptions(config), new Date());
  const troubles = await services.ping().finally(() => services.close());
  return [
    { what: "identity", ...certificate },
    ...Object.entries(troubles).map(([service, text]) =>
      text === null
        ? ok(service, "answers")
        : fail(service, text, `check catalog.cms.* of ${service}: wms2 config show`),
    ),
  ];
}

/** A server that runs on this data directory knows best; without one, the parts are tried here. */
async function askServer(
  config: Config,
  options: GlobalOptions,
): Promise<{ readonly status: StatusView | null; readonly checks: readonly Check[] }> {
  const running = liveServer(config.data_dir);
  const isNamed = Boolean(namedServer(options));
  if (!isNamed && !running)
    return { status: null, checks: [warn("server", `none runs on ${config.data_dir}`, "start it with: wms2 serve")] };
  const here = () => reach(config.data_dir, running?.url ?? null, options.tokenFile);
  const client = isNamed ? clientFor(options) : makeClient(here);
  try {
    const status = await client.system.status();
    return { status, checks: await serverChecks(client, status) };
  } catch (error) {
    if (!(error instanceof WorldError)) throw error;
    return { status: null, checks: [fail("server", describeError(error), error.hint)] };
  }
}

async function serverChecks(client: Client, status: StatusView): Promise<Check[]> {
  const health = await client.system
    .health()
    .catch((error: unknown) => ({ status: "unhealthy" as const, why: describeError(error) }));
  const skewSec = Math.abs(Date.now() - Date.parse(status.at)) / 1000;
  const up = `${client.url}, wms2 ${status.version} on ${status.directories.data_dir}, up ${duration(status.uptime_sec)}, ${status.dags_open} DAGs open`;
  const checks = [
    health.status === "ok"
      ? ok("server", up)
      : fail("server", `${up}; not healthy: ${health.why}`, "see its log on stderr, and: wms2 list"),
    status.loop.healthy
      ? ok("loop", `${leaderText(status.loop)}, the last pass took ${duration(status.loop.last_pass_seconds ?? 0)}`)
      : fail("loop", status.loop.why, "restart the server; its log says what the passes fail at"),
    ...status.warnings.map(({ what, fix }) => warn("server", what, fix)),
    ...status.alerts.map(({ subject, message, count: times }) =>
      warn("alert", `${subject}: ${message} (${times}×)`, "look at it with: wms2 alerts"),
    ),
  ];
  const skew = `this machine and the server differ by ${duration(skewSec)}`;
  return skewSec > 5 ? [...checks, warn("clock", skew, "run an NTP client on both")] : checks;
}

const leaderText = ({ is_leader, leader, passes }: StatusView["loop"]): string =>
  is_leader || leader === null ? `${passes} passes` : `the server ${leader} has the lease and passes`;

function engineChecks(name: string, { ok: isWell, text, warnings }: PingOutcome): Check[] {
  const fix =
    name === "dagman"
      ? "check that condor_q works here; engine.dagman.prefix reaches a pool elsewhere, npm run pool -- up makes one"
      : "see daemon.log in the engine directory of the data directory";
  return [
    isWell ? ok("engine", text) : fail("engine", text, fix),
    ...warnings.map(({ what, fix }) => warn("engine", what, fix)),
  ];
}

function tokenCheck(config: Config, options: GlobalOptions): Check {
  if (options.tokenFile || process.env.WMS2_TOKEN) return ok("token", "given");
  return ownToken(config.data_dir)
    ? ok("token", `${config.data_dir}/operator.token`)
    : warn("token", "none yet: changes need one", "the first start of wms2 serve makes it");
}
