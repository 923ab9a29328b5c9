import { readFileSync } from "node:fs";
import { availableParallelism, homedir, totalmem } from "node:os";
import { join, resolve } from "node:path";
import { parse as parseYaml } from "yaml";
import { WorldError } from "../core/base/errors.ts";
import { type EngineKind, type Machine, profileOf } from "./profiles.ts";
import { type Config, environmentName, SECRET_KEYS, SETTINGS, type SettingKey, type Source } from "./settings.ts";

export interface LoadedConfig {
  readonly config: Config;
  readonly sources: Readonly<Record<SettingKey, Source>>;
}

const KEYS = Object.keys(SETTINGS) as SettingKey[];

/** defaults < the engine's profile < file < environment < flags; all problems at once, each with where it came from. */
export function loadConfig(from: {
  file?: string | undefined;
  environment: Readonly<Record<string, string | undefined>>;
  flags?: Readonly<Partial<Record<SettingKey, unknown>>>;
}): LoadedConfig {
  const problems: string[] = [];
  const values: Record<string, unknown> = {};
  const sources = Object.fromEntries(KEYS.map((key) => [key, "default"])) as Record<SettingKey, Source>;

  for (const key of KEYS) values[key] = SETTINGS[key].fallback;
  const file = from.file ?? from.environment.WMS2_CONFIG;
  const said: readonly (readonly [Source, SettingKey, raw: unknown, place: string])[] = [
    ...(file ? readConfigFile(file, problems) : []).map(([key, raw]) => ["file", key, raw, `${file}: ${key}`] as const),
    ...KEYS.map((key) => {
      const raw = from.environment[environmentName(key)];
      return ["environment", key, raw === undefined ? raw : jsonOrText(raw), environmentName(key)] as const;
    }),
    ...KEYS.map((key) => ["flag", key, from.flags?.[key], `--${key}`] as const),
  ];
  for (const [source, key, raw, place] of said) {
    if (raw === undefined) continue;
    const parsed = SETTINGS[key].schema.safeParse(raw);
    if (parsed.success) {
      values[key] = parsed.data;
      sources[key] = source;
    } else {
      const words = parsed.error.issues.map(({ path, message }) =>
        [path.join("."), message].filter(Boolean).join(": "),
      );
      problems.push(`${place}: ${words.join("; ")}`);
    }
  }
  if (problems.length) throw new WorldError("bad-config", file ?? "settings", problems.join("\n"));
  requireCatalog(values as Config);
  values["engine.local.sites"] ??= [THIS_MACHINE];
  const engine = values["engine.kind"] as EngineKind;
  for (const [key, value] of Object.entries(profileOf(engine, biggestSite(values as Config)))) {
    if (sources[key as SettingKey] !== "default") continue;
    values[key] = value;
    sources[key as SettingKey] = `profile ${engine}`;
  }
  return { config: Object.freeze(withDerived(values)) as Config, sources };
}

/** What `config show` prints: every setting with its value and where it came from; secrets only as "(set)". */
export function describeConfig(
  loaded: LoadedConfig,
): { key: SettingKey; value: unknown; source: Source; about: string }[] {
  return KEYS.map((key) => ({
    key,
    value: SECRET_KEYS.has(key) && loaded.config[key] !== null ? "(set)" : loaded.config[key],
    source: loaded.sources[key],
    about: SETTINGS[key].about,
  }));
}

function readConfigFile(file: string, problems: string[]): [SettingKey, unknown][] {
  const document: unknown = readFrom(file, "the config file", parseYaml);
  const found: [SettingKey, unknown][] = [];
  const walk = (value: unknown, path: string) => {
    if (Object.hasOwn(SETTINGS, path)) found.push([path as SettingKey, value]);
    else if (value !== null && typeof value === "object" && !Array.isArray(value)) {
      for (const [key, inner] of Object.entries(value)) walk(inner, path ? `${path}.${key}` : key);
    } else problems.push(`${file}: there is no setting ${path}`);
  };
  if (document !== null && document !== undefined) walk(document, "");
  return found;
}

function readFrom<T>(file: string, what: string, parse: (text: string) => T): T {
  try {
    return parse(readFileSync(file, "utf8"));
  } catch (error) {
    throw new WorldError("bad-config", file, `${what} ${file} cannot be read`, { cause: error });
  }
}

/** What people type is text: JSON where it is JSON (numbers, lists), else the text itself. */
export function jsonOrText(raw: string): unknown {
  try {
    return JSON.parse(raw);
  } catch {
    return raw;
  }
}

const THIS_MACHINE = { name: "local", cores: availableParallelism(), memory_mb: Math.floor(totalmem() / 1e6) };

function biggestSite({ "engine.local.sites": sites }: Config): Machine {
  const most = (key: "cores" | "memory_mb") => Math.max(...sites.map((site) => site[key]));
  return { sites: sites.length, cores: most("cores"), memoryMb: most("memory_mb") };
}

const CMS_NEEDS: readonly SettingKey[] = [
  "catalog.cms.reqmgr2_url",
  "catalog.cms.config_cache_url",
  "catalog.cms.dbs_reader_url",
  "catalog.cms.dbs_writer_url",
  "catalog.cms.rucio_url",
  "catalog.cms.rucio_auth_url",
  "catalog.cms.rucio_account",
  "catalog.cms.cric_url",
  "outputs.tape_rses",
];

/** All that is missing at once: nobody wants to start a server eight times. */
function requireCatalog(config: Config): void {
  if (config["catalog.kind"] !== "cms") {
    const idle = [
      config["reqmgr2.poll_sec"] > 0 && "reqmgr2.poll_sec",
      config["reqmgr2.write_back"] && "reqmgr2.write_back",
    ];
    const set = idle.filter(Boolean).join(", ");
    if (set === "") return;
    throw new WorldError("bad-config", set, `${set}: there is no ReqMgr2 where catalog.kind is local`, {
      hint: "set catalog.kind: cms, or leave them out",
    });
  }
  const { "catalog.cms.proxy_file": proxy, "catalog.cms.cert_file": cert, "catalog.cms.key_file": key } = config;
  const missing: string[] = CMS_NEEDS.filter((needed) => config[needed] === null);
  if (proxy === null && (cert === null || key === null))
    missing.push("catalog.cms.proxy_file, or catalog.cms.cert_file with catalog.cms.key_file");
  if (missing.length === 0) return;
  throw new WorldError("bad-config", "catalog.cms", `catalog.kind is cms, and it needs ${missing.join("; ")}`, {
    hint: "set them (outputs.tape_rses: none where there is no tape), or catalog.kind: local; wms2 config show tells what each is for",
  });
}

function withDerived(values: Record<string, unknown>): Record<string, unknown> {
  const dataDir = resolve(String(values.data_dir ?? join(homedir(), ".local", "share", "wms2")));
  const urlFile = values["database.url_file"];
  return {
    ...values,
    data_dir: dataDir,
    spool_dir: resolve(String(values.spool_dir ?? join(dataDir, "spool"))),
    storage_dir: resolve(String(values.storage_dir ?? join(dataDir, "storage"))),
    "database.url":
      values["database.url"] ??
      (urlFile ? readFrom(String(urlFile), "database.url_file", (text) => text.trim()) : null),
  };
}
