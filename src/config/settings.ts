import { z } from "zod";

/**
 * Every setting there is: its shape, default, and what it is for. The key is its path in the config file, and with
 * dots as underscores its environment variable: `listen.port` is WMS2_LISTEN_PORT. Wiring first, then policy.
 */
const site = z.strictObject({
  name: z.string().regex(/^[A-Za-z0-9][A-Za-z0-9_.-]{0,99}$/),
  cores: z.number().int().positive(),
  memory_mb: z.number().int().positive(),
});
const setting = <S extends z.ZodType>(schema: S, fallback: z.infer<S> | null, about: string) => ({
  schema,
  fallback,
  about,
});
const path = z.string().min(1);
const seconds = z.number().positive();

/** Where alerts are told (docs/guides/alerts.md). */
const sinkCommon = {
  name: z.string().regex(/^[A-Za-z0-9][A-Za-z0-9_.-]{0,99}$/),
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
      url_file: path.optional(),
      token_file: path.optional(),
    }),
    z.strictObject({ ...sinkCommon, kind: z.literal("command"), argv: z.array(z.string().regex(/^[^\0]*$/)).min(1) }),
    z.strictObject({
      ...sinkCommon,
      kind: z.literal("smtp"),
      host: z.string().min(1),
      port: z.number().int().min(1).max(65535).optional(),
      tls: z.enum(["none", "starttls", "implicit"]).default("starttls"),
      ca_file: path.optional(),
      user: z.string().min(1).optional(),
      password_file: path.optional(),
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
  data_dir: setting(path, null, "where everything of this server lives (default: ~/.local/share/wms2)"),
  spool_dir: setting(path, null, "submit directories (default: <data_dir>/spool)"),
  storage_dir: setting(path, null, "unmerged and merged files and their ledger (default: <data_dir>/storage)"),
  "listen.host": setting(
    z.string().min(1),
    "127.0.0.1",
    "address the API listens on; elsewhere than loopback, reading needs a token too",
  ),
  "listen.port": setting(z.number().int().min(0).max(65535), 8420, "port of the API; 0 picks a free one"),
  "database.url": setting(
    z.string().regex(/^postgres(ql)?:\/\//),
    null,
    "PostgreSQL to use; the embedded database when not set",
  ),
  "database.url_file": setting(path, null, "file that holds database.url, so that its password is on no command line"),
  "engine.kind": setting(z.enum(["local", "dagman"]), "local", "what runs the jobs"),
  "engine.local.sites": setting(
    z.array(site).min(1),
    null,
    "named sites of the local engine (default: one, all of this machine)",
  ),
  "engine.dagman.prefix": setting(
    z.array(z.string()),
    [],
    "words put before every condor command: ssh to a submit host, or into a chroot",
  ),
  "engine.dagman.submit_uid": setting(
    z.number().int().min(1),
    null,
    "owner given to submit directories when the server is root (HTCondor refuses jobs of root)",
  ),
  "engine.dagman.submit_gid": setting(z.number().int().min(1), null, "group likewise"),
  "engine.dagman.max_idle": setting(z.number().int().positive(), 1000, "idle jobs one DAG keeps in the queue"),
  "engine.timeout_sec": setting(seconds, 60, "how long one call to the engine may take"),
  "lifecycle.interval_sec": setting(seconds, 5, "time between passes when nothing nudges the loop"),
  "lifecycle.concurrency": setting(z.number().int().positive(), 8, "requests worked on at once within a pass"),
  "lifecycle.lease_sec": setting(seconds, 30, "after how long another server takes over from one that went silent"),
  "lifecycle.resubmit_grace_sec": setting(
    z.number().min(0),
    10,
    "how long a new leader waits before it believes that an interrupted submission left no trace",
  ),
  "lifecycle.max_errors": setting(
    z.number().int().positive(),
    3,
    "passes that may fail alike on one request before it is held (unreachable services never hold)",
  ),
  "admission.max_active": setting(
    z.number().int().min(0),
    300,
    "requests in the engine at once, until changed through the API",
  ),
  "planning.round_zero_units": setting(z.number().int().positive(), 1, "work units in round 0 of an adaptive request"),
  "planning.probe_jobs": setting(
    z.number().int().min(0),
    0,
    "jobs at the top of the memory window in round 0 of an adaptive request",
  ),
  "planning.default_memory_per_core_mb": setting(
    z.number().int().positive(),
    2000,
    "memory per core that most sites offer",
  ),
  "planning.max_memory_per_core_mb": setting(
    z.number().int().positive(),
    3000,
    "most memory per core a job may ask for",
  ),
  "planning.max_wall_minutes": setting(z.number().int().positive(), 47 * 60, "longest job"),
  "bans.min_failures": setting(z.number().int().positive(), 3, "failures at a site before it can be banned"),
  "bans.failure_ratio": setting(z.number().min(0).max(1), 0.5, "share of failures at a site above which it is banned"),
  "bans.duration_days": setting(z.number().positive(), 7, "how long a ban lasts"),
  "bans.promotion_threshold": setting(
    z.number().int().positive(),
    3,
    "workflows that ban a site before it is banned for all",
  ),
  "recovery.version_limit": setting(z.number().int().positive(), 20, "highest processing version a restart may reach"),
  "dag.status_interval_sec": setting(z.number().int().positive(), 15, "how often DAGMan rewrites its status file"),
  "dag.scan_interval_sec": setting(z.number().int().positive(), 5, "how often DAGMan looks at job events"),
  "dag.hold_removal_sec": setting(
    z.number().int().positive(),
    300,
    "after how long a job the pool holds is removed, so that recovery can decide",
  ),
  "dag.max_jobs_submitted": setting(z.number().int().positive(), 2000, "jobs one DAGMan has in the queue at once"),
  "dag.defer_poll_sec": setting(z.number().int().positive(), 30, "how often a node that cools off is looked at again"),
  "recovery.policy_file": setting(
    path,
    null,
    "this installation's retry policy, YAML or JSON (docs/policy.md); wms2 policy check FILE",
  ),
  "recovery.cooloff_base_sec": setting(
    z.number().int().min(0),
    60,
    "wait before a first retry; doubles with each, and fixed delays are 15 times as long",
  ),
  "recovery.max_executions": setting(
    z.number().int().positive(),
    10,
    "executions of a node until an operator opens a new epoch",
  ),
  "recovery.abort_after_alike": setting(
    z.number().int().min(0),
    3,
    "permanent failures alike that end a work unit early; 0: never",
  ),
  "recovery.avoid_host_sec": setting(
    z.number().int().min(0),
    600,
    "how long a retry waits for another worker than those it failed on",
  ),
  "alerts.sinks": setting(sinks, [], "where alerts are told: webhooks, commands, mail (docs/guides/alerts.md)"),
  "alerts.interval_sec": setting(seconds, 60, "how often stuck requests, the engine and disks are looked at"),
  "alerts.engine_after_looks": setting(
    z.number().int().positive(),
    3,
    "looks without an answer before the engine is called unreachable",
  ),
  "alerts.low_disk_mb": setting(
    z.number().min(0),
    1000,
    "free space of spool and storage below which an alert opens; 0: never",
  ),
  "housekeeping.interval_sec": setting(seconds, 600, "time between turns of tidying the spool"),
  "housekeeping.compact_after_hours": setting(
    z.number().min(0),
    24,
    "after how long the submit directories of a finished request keep only what explains failures",
  ),
  "housekeeping.remove_after_days": setting(z.number().min(0), 30, "after how long they are removed; 0: never"),
  "log.level": setting(z.enum(["debug", "info", "warn", "error", "silent"]), "info", "what is written to stderr"),
} as const;

export type SettingKey = keyof typeof SETTINGS;
export type Source = "default" | "file" | "environment" | "flag";

type Value<K extends SettingKey> = z.infer<(typeof SETTINGS)[K]["schema"]>;
type Optional =
  | "database.url"
  | "database.url_file"
  | "recovery.policy_file"
  | "engine.dagman.submit_uid"
  | "engine.dagman.submit_gid";

/** All settings, resolved and frozen. Optional ones are null when not set. */
export type Config = {
  readonly [K in SettingKey]: K extends Optional ? Value<K> | null : Value<K>;
};

/** Never printed whole: only that it is set. */
export const SECRET_KEYS: ReadonlySet<SettingKey> = new Set<SettingKey>(["database.url"]);
export const environmentName = (key: SettingKey): string => `WMS2_${key.toUpperCase().replaceAll(".", "_")}`;
