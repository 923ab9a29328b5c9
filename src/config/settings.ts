import { z } from "zod";

/**
 * Every setting there is: its shape, default, and what it is for. The key is its path in the config file, and with
 * dots as underscores its environment variable: `listen.port` is WMS2_LISTEN_PORT. Wiring first, then policy.
 */
const setting = <S extends z.ZodType>(schema: S, fallback: z.infer<S>, about: string) => ({ schema, fallback, about });
/** Has no value unless somebody gives it one. */
const optional = <S extends z.ZodType>(schema: S, about: string) => ({ schema, fallback: null, about });
/** Follows from other settings and this machine, unless somebody says otherwise (load.ts). */
const derived = <S extends z.ZodType>(schema: S, about: string) => setting(schema, null as never, about);
/** Its default goes by the engine (profiles.ts). */
const byEngine = derived;
const text = z.string().min(1);
const seconds = z.number().positive();
const whole = z.number().int().positive();
const wholeOrNone = z.number().int().min(0);
const amount = z.number().min(0);
const id = z.number().int().min(1);

const name = z.string().regex(/^[A-Za-z0-9][A-Za-z0-9_.-]{0,99}$/);
const httpsUrl = z.url({ protocol: /^https$/ });
const command = z.array(z.string().regex(/^[^\0\t\n]+$/)).min(1);
const site = z.strictObject({ name, cores: whole, memory_mb: whole, gpus: z.int().min(0).max(1000).optional() });

/** Where alerts are told (docs/guides/alerts.md). */
const sinkCommon = {
  name,
  min_severity: z.enum(["info", "warning", "critical"]).default("warning"),
  timeout_sec: seconds.max(300).default(10),
};
const address = z.string().regex(/^[^\s<>,"@]+@[^\s<>,"@]+$/, "must be a plain mail address");
const sink = z
  .discriminatedUnion("kind", [
    z.strictObject({
      ...sinkCommon,
      kind: z.literal("webhook"),
      url: z.url({ protocol: /^https?$/ }).optional(),
      url_file: text.optional(),
      token_file: text.optional(),
    }),
    z.strictObject({ ...sinkCommon, kind: z.literal("command"), argv: z.array(z.string().regex(/^[^\0]*$/)).min(1) }),
    z.strictObject({
      ...sinkCommon,
      kind: z.literal("smtp"),
      host: text,
      port: id.max(65535).optional(),
      tls: z.enum(["none", "starttls", "implicit"]).default("starttls"),
      ca_file: text.optional(),
      user: text.optional(),
      password_file: text.optional(),
      from: address,
      to: z.array(address).min(1),
    }),
  ])
  .superRefine((one, context) => {
    if (one.kind === "webhook" && (one.url === undefined) === (one.url_file === undefined))
      context.addIssue({ code: "custom", message: "needs one of url and url_file" });
    if (one.kind === "smtp" && (one.user === undefined) !== (one.password_file === undefined))
      context.addIssue({ code: "custom", message: "user and password_file go together" });
  });
const sinks = z.array(sink).superRefine((all, context) => {
  const names = all.map(({ name }) => name);
  if (new Set(names).size < names.length) context.addIssue({ code: "custom", message: "two sinks have the same name" });
});

export const SETTINGS = {
  data_dir: derived(text, "where everything of this server lives (default: ~/.local/share/wms2)"),
  spool_dir: derived(text, "submit directories (default: <data_dir>/spool)"),
  storage_dir: derived(text, "unmerged and merged files and their ledger (default: <data_dir>/storage)"),
  "listen.host": setting(
    text,
    "127.0.0.1",
    "address the API listens on; elsewhere than loopback, reading needs a token too",
  ),
  "listen.port": setting(wholeOrNone.max(65535), 8420, "port of the API; 0 picks a free one"),
  public_url: optional(
    z.url({ protocol: /^https?$/ }),
    "address of the API as the submit host reaches it, given to recovery scripts as WMS2_API_URL and to alerts (default: where it listens)",
  ),
  "database.url": optional(
    z.string().regex(/^postgres(ql)?:\/\//),
    "PostgreSQL to use; the embedded database when not set",
  ),
  "database.url_file": optional(text, "file that holds database.url, so that its password is on no command line"),
  "engine.kind": setting(z.enum(["local", "dagman"]), "local", "what runs the jobs"),
  "engine.local.sites": derived(
    z.array(site).min(1),
    "named sites of the local engine: name, cores, memory_mb, gpus (default: one, all of this machine, no GPUs)",
  ),
  "engine.dagman.prefix": setting(
    z.array(z.string()),
    [],
    "words put before every condor command: ssh to a submit host, or into a chroot",
  ),
  "engine.dagman.submit_uid": optional(
    id,
    "owner given to submit directories when the server is root (HTCondor refuses jobs of root)",
  ),
  "engine.dagman.submit_gid": optional(id, "group likewise"),
  "engine.dagman.max_idle": setting(whole, 1000, "idle jobs one DAG keeps in the queue"),
  "engine.timeout_sec": setting(seconds, 60, "how long one call to the engine may take"),
  "catalog.kind": setting(z.enum(["local", "cms"]), "local", "who knows datasets and is told of outputs"),
  "catalog.cms.reqmgr2_url": optional(httpsUrl, "ReqMgr2: https://HOST/reqmgr2/data"),
  "catalog.cms.config_cache_url": optional(httpsUrl, "its config cache: https://HOST/couchdb/reqmgr_config_cache"),
  "catalog.cms.dbs_reader_url": optional(httpsUrl, "DBS to read: https://HOST/dbs/prod/global/DBSReader"),
  "catalog.cms.dbs_writer_url": optional(httpsUrl, "DBS to write: https://HOST/dbs/prod/global/DBSWriter"),
  "catalog.cms.rucio_url": optional(httpsUrl, "Rucio"),
  "catalog.cms.rucio_auth_url": optional(httpsUrl, "where Rucio gives tokens"),
  "catalog.cms.rucio_account": optional(
    z.string().regex(/^[a-z0-9_-]{1,25}$/),
    "account of Rucio that owns replicas and rules",
  ),
  "catalog.cms.cric_url": optional(httpsUrl, "CRIC"),
  "catalog.cms.proxy_file": optional(text, "proxy to show to them, read again when it changes"),
  "catalog.cms.cert_file": optional(text, "or a certificate of one's own, and below its key"),
  "catalog.cms.key_file": optional(text, "key of cert_file, without a passphrase"),
  "catalog.cms.ca_file": optional(text, "authorities that sign their certificates (default: those of this machine)"),
  "sites.sync_minutes": setting(amount, 60, "how often sites are taken over from CRIC; 0: only by wms2 sites sync"),
  "sites.status_file": optional(text, "file with the status of sites (docs/guides/cms.md)"),
  "sites.status_url": optional(httpsUrl, "or where that is published"),
  "catalog.cms.connect_timeout_sec": setting(seconds, 10, "how long a connection to them may take"),
  "catalog.cms.answer_timeout_sec": setting(seconds, 120, "how long until an answer begins"),
  "catalog.cms.peace_sec": setting(seconds, 30, "how long a service that failed five times in a row is not asked"),
  "catalog.cms.silence_timeout_sec": setting(seconds, 60, "how long an answer may stand still"),
  "cmssw.cmsset": optional(
    text,
    "CMS's cmsset_default.sh as worker nodes see it: ReqMgr2's documents then run cmsRun, else the simulator",
  ),
  "cmssw.enabled": setting(z.boolean(), true, "false: they run the simulator, wherever the software is"),
  "cmssw.containers": setting(
    z.record(text, command),
    {},
    "by ScramArch (may end in *), the command that runs what follows it in a container",
  ),
  "cmssw.stage_out": setting(
    z.record(text, command),
    {},
    "by site (* for all others), the command that copies instead of cp: it gets source and target",
  ),
  "frepp.queue": optional(command, "prints which jobs {id} or {ids} are in frepp's queue (docs/guides/frepp.md)"),
  "frepp.accounting": optional(command, "the same of jobs that have ended; not set: the queue is asked twice"),
  "frepp.queue_by_name": optional(command, "the same of jobs that are in the queue, by {name} or {names}"),
  "frepp.timeout_sec": setting(seconds, 30, "how long one of them may take; then nothing is known"),
  "lifecycle.interval_sec": byEngine(
    seconds,
    "time between passes when nothing nudges the loop; the engine is asked once in each",
  ),
  "lifecycle.concurrency": setting(whole, 8, "requests worked on at once within a pass"),
  "lifecycle.lease_sec": setting(seconds, 30, "after how long another server takes over from one that went silent"),
  "lifecycle.resubmit_grace_sec": byEngine(
    amount,
    "how long a new leader waits before it believes that an interrupted submission left no trace",
  ),
  "lifecycle.max_errors": setting(
    whole,
    3,
    "passes that may fail in the same way on one request before it is held (unreachable services never hold)",
  ),
  "lifecycle.disk_patience_sec": setting(
    amount,
    60,
    "how long a full or read-only disk may stay so before the requests that need it are held",
  ),
  "lifecycle.work_limit_sec": setting(
    seconds,
    600,
    "how long one round may take to plan and write before it is stopped and its request held",
  ),
  "admission.max_active": setting(wholeOrNone, 300, "requests in the engine at once, until changed through the API"),
  "planning.round_zero_units": setting(whole, 1, "work units in round 0 of an adaptive request"),
  "planning.probe_jobs": setting(wholeOrNone, 2, "jobs of an adaptive request's first round with half the threads"),
  "planning.min_sampled_jobs": setting(whole, 5, "jobs measured before a round that still runs is sized again"),
  "planning.overcommit_max": setting(z.number().min(1).max(4), 1, "most threads per core of steps that left some idle"),
  "planning.default_memory_per_core_mb": byEngine(whole, "memory per core of a request that does not say"),
  "planning.least_memory_per_core_mb": byEngine(whole, "less memory per core is raised to this, and the plan says so"),
  "planning.max_memory_per_core_mb": byEngine(whole, "most memory per core a job may ask for"),
  "planning.max_memory_mb": byEngine(whole.nullable(), "most memory of a job, however many its cores; null: no limit"),
  "planning.max_cores": byEngine(whole.nullable(), "most cores of a job; null: no limit"),
  "planning.max_wall_minutes": setting(whole, 47 * 60, "longest job"),
  "planning.max_disk_mb": setting(whole, 10_000_000, "most disk a job may ask for"),
  "planning.max_nodes_per_round": setting(
    whole,
    1_000_000,
    "processing nodes of a round; what is more waits for the next",
  ),
  "planning.max_nodes_per_request": setting(whole, 10_000_000, "processing nodes of a request in all"),
  "bans.min_failures": setting(whole, 3, "failures at a site before it can be banned"),
  "bans.failure_ratio": byEngine(
    amount.max(1),
    "share of failures at a site above which it is banned; 1: never (the local engine with one site)",
  ),
  "bans.duration_days": setting(z.number().positive(), 7, "how long a ban lasts"),
  "bans.promotion_threshold": setting(whole, 3, "workflows that ban a site before it is banned for all"),
  "recovery.version_limit": setting(whole, 20, "highest processing version a restart may reach"),
  "dag.status_interval_sec": setting(
    whole,
    15,
    "how often DAGMan rewrites the status file of a large DAG; small ones are rewritten every 2 seconds",
  ),
  "dag.scan_interval_sec": setting(
    whole,
    1,
    "how often DAGMan looks at job events; a node passes three such looks. With thousands of DAGs at once: 5",
  ),
  "dag.hold_removal_sec": setting(
    whole,
    300,
    "after how long a job the pool holds is removed, so that recovery can decide",
  ),
  "dag.lost_job_sec": setting(
    whole,
    300,
    "after how long without an event DAGMan looks whether its jobs are still in the queue; if not, recovery decides",
  ),
  "dag.max_jobs_submitted": setting(whole, 2000, "jobs one DAGMan has in the queue at once"),
  "dag.defer_poll_sec": byEngine(whole, "how often a node that cools off is looked at again"),
  "recovery.policy_file": optional(
    text,
    "this installation's retry policy, YAML or JSON (docs/policy.md); wms2 policy check FILE",
  ),
  "recovery.cooloff_base_sec": byEngine(
    wholeOrNone,
    "wait before a retry; doubles with each, and fixed delays are 15 times as long",
  ),
  "recovery.first_retry_at_once": byEngine(
    z.boolean(),
    "a node's first retry does not wait, unless a rule names its delay",
  ),
  "recovery.max_executions": setting(whole, 10, "executions of a node until an operator opens a new epoch"),
  "recovery.abort_after_alike": setting(
    wholeOrNone,
    3,
    "similar permanent failures that end a work unit early; 0: never",
  ),
  "recovery.avoid_host_sec": byEngine(
    wholeOrNone,
    "how long a retry waits for another worker than those it failed on; 0: it does not look for one",
  ),
  "outputs.backoff_sec": setting(
    z.array(amount).min(1),
    [60, 300, 1800, 7200, 14_400, 28_800],
    "waits before an output block is offered to a service that does not answer again; what it refuses waits the last one",
  ),
  "outputs.tape_rses": optional(
    text,
    "RSE expression of the tapes that closed blocks go to, cms catalog; none: there is no tape, blocks are kept on disk",
  ),
  "outputs.give_up_after_hours": setting(
    amount,
    72,
    "after how long of nothing but failures an output block fails, and its request is held",
  ),
  "reqmgr2.poll_sec": setting(
    wholeOrNone,
    0,
    "how often what ReqMgr2 has assigned is looked for and imported; 0: never, only by hand (docs/guides/reqmgr2.md)",
  ),
  "reqmgr2.team": optional(text, "import only what is assigned to this team"),
  "reqmgr2.campaigns": setting(z.array(text), [], "import only what belongs to these campaigns; empty: any"),
  "reqmgr2.write_back": setting(z.boolean(), false, "tell ReqMgr2 how the requests that came from it do"),
  "alerts.sinks": setting(sinks, [], "where alerts are told: webhooks, commands, mail (docs/guides/alerts.md)"),
  "alerts.interval_sec": setting(seconds, 60, "how often stuck requests, the engine and disks are looked at"),
  "alerts.engine_after_looks": setting(whole, 3, "looks without an answer before the engine is called unreachable"),
  "alerts.low_disk_mb": setting(amount, 1000, "free space of spool and storage below which an alert opens; 0: never"),
  "housekeeping.interval_sec": setting(seconds, 600, "time between turns of cleaning the spool"),
  "housekeeping.compact_after_hours": setting(
    amount,
    24,
    "after how long the submit directories of a finished request keep only what explains failures",
  ),
  "housekeeping.remove_after_days": setting(amount, 30, "after how long they are removed; 0: never"),
  "log.level": setting(z.enum(["debug", "info", "warn", "error", "silent"]), "info", "what is written to stderr"),
} as const;

export type SettingKey = keyof typeof SETTINGS;
export type Source = "default" | `profile ${"local" | "dagman"}` | "file" | "environment" | "flag";

/** All settings, resolved and frozen. Optional ones are null when not set. */
export type Config = {
  readonly [K in SettingKey]: z.infer<(typeof SETTINGS)[K]["schema"]> | (typeof SETTINGS)[K]["fallback"];
};

type Camel<S extends string> = S extends `${infer A}_${infer B}` ? `${A}${Capitalize<Camel<B>>}` : S;
type Section<S extends string> = {
  readonly [K in SettingKey as K extends `${S}.${infer Rest}` ? Camel<Rest> : never]: Config[K];
};

/** The settings below a name, as the code names them: `bans.min_failures` of "bans" is minFailures. */
export const section = <S extends string>(config: Config, name: S): Section<S> =>
  Object.fromEntries(
    Object.entries(config)
      .filter(([key]) => key.startsWith(`${name}.`))
      .map(([key, value]) => [key.slice(name.length + 1).replaceAll(/_(.)/g, (_, sign) => sign.toUpperCase()), value]),
  ) as Section<S>;

/** Never printed whole: only that it is set. */
export const SECRET_KEYS: ReadonlySet<SettingKey> = new Set<SettingKey>(["database.url"]);
export const environmentName = (key: SettingKey): string => `WMS2_${key.toUpperCase().replaceAll(".", "_")}`;
