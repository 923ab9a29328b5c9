import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { tempDir } from "../../tests/support/temp-dir.ts";
import { WorldError } from "../core/base/errors.ts";
import { describeConfig, loadConfig } from "./load.ts";
import type { SettingKey } from "./settings.ts";

const file = (text: string): string => {
  const path = join(tempDir("config"), "wms2.yaml");
  writeFileSync(path, text);
  return path;
};

test("defaults give way to the file, the file to the environment, the environment to flags", () => {
  const path = file("listen: { port: 1, host: a }\nlog: { level: warn }\n");
  const loaded = loadConfig({
    file: path,
    environment: { WMS2_LISTEN_PORT: "2", WMS2_LOG_LEVEL: "error" },
    flags: { "log.level": "debug" },
  });
  expect(loaded.config["listen.host"]).toBe("a");
  expect(loaded.config["listen.port"]).toBe(2);
  expect(loaded.config["log.level"]).toBe("debug");
  expect(loaded.sources).toMatchObject({
    "listen.host": "file",
    "listen.port": "environment",
    "log.level": "flag",
    "engine.kind": "default",
  });
});

test("all problems are told at once, with their place", () => {
  const path = file("listen: { port: many }\nlissten: 1\nconstructor: 1\n");
  const attempt = () => loadConfig({ file: path, environment: { WMS2_ENGINE_KIND: "slurm" } });
  expect(attempt).toThrow(WorldError);
  for (const words of [
    /listen\.port/,
    /there is no setting lissten/,
    /there is no setting constructor/,
    /WMS2_ENGINE_KIND/,
  ])
    expect(attempt).toThrow(words);
});

test("a password is never shown", () => {
  const loaded = loadConfig({ environment: { WMS2_DATABASE_URL: "postgres://u:secret@h/d" } });
  expect(JSON.stringify(describeConfig(loaded))).not.toContain("secret");
});

test("a file of the database's address that cannot be read is no bug", () => {
  const attempt = () => loadConfig({ environment: { WMS2_DATABASE_URL_FILE: "/nowhere/url" } });
  expect(attempt).toThrow(WorldError);
  expect(attempt).toThrow("database.url_file /nowhere/url cannot be read");
});

describe("what goes by the engine", () => {
  const sites = [{ name: "here", cores: 4, memory_mb: 6000 }];
  const loaded = (flags: object) =>
    loadConfig({ environment: {}, flags: { "engine.local.sites": sites, ...flags } as never });
  const LAPTOP = {
    "recovery.cooloff_base_sec": 1,
    "recovery.first_retry_at_once": true,
    "recovery.avoid_host_sec": 0,
    "bans.failure_ratio": 1,
    "dag.defer_poll_sec": 1,
    "planning.least_memory_per_core_mb": 1,
    "planning.default_memory_per_core_mb": 1500,
    "planning.max_memory_per_core_mb": 6000,
    "planning.max_memory_mb": 6000,
    "lifecycle.resubmit_grace_sec": 0,
  };
  const GRID = {
    "recovery.cooloff_base_sec": 60,
    "recovery.first_retry_at_once": false,
    "recovery.avoid_host_sec": 600,
    "bans.failure_ratio": 0.5,
    "planning.least_memory_per_core_mb": 2000,
    "planning.max_memory_per_core_mb": 3000,
    "planning.max_memory_mb": null,
  };

  test("a laptop waits seconds, keeps to the request's memory and has one host", () => {
    const { config, sources } = loaded({});
    expect(config).toMatchObject(LAPTOP);
    for (const key of Object.keys(LAPTOP) as SettingKey[]) expect(sources[key], key).toBe("profile local");
  });

  test("a grid does not", () => {
    const { config, sources } = loaded({ "engine.kind": "dagman" });
    expect(config).toMatchObject(GRID);
    for (const key of Object.keys(GRID) as SettingKey[]) expect(sources[key], key).toBe("profile dagman");
  });

  test("each of them can be set, and then the profile says nothing", () => {
    for (const [key, value] of Object.entries({ ...LAPTOP, "bans.failure_ratio": 0.25 })) {
      const { config, sources } = loaded({ "engine.kind": "dagman", [key]: value });
      expect([config[key as SettingKey], sources[key as SettingKey]], key).toEqual([value, "flag"]);
    }
  });

  test("several local sites can be told apart, so they can be banned", () => {
    const { config } = loaded({ "engine.local.sites": [...sites, { name: "there", cores: 1, memory_mb: 100 }] });
    expect(config).toMatchObject({ "bans.failure_ratio": 0.5, "planning.max_memory_mb": 6000 });
  });
});

test("the catalog of CMS asks for all it needs at once", () => {
  const attempt = () =>
    loadConfig({ environment: { WMS2_CATALOG_KIND: "cms", WMS2_CATALOG_CMS_RUCIO_URL: "https://rucio.example" } });
  expect(attempt).toThrow(WorldError);
  for (const missing of ["reqmgr2_url", "config_cache_url", "dbs_reader_url", "dbs_writer_url", "cric_url"])
    expect(attempt).toThrow(`catalog.cms.${missing}`);
  expect(attempt).toThrow("catalog.cms.proxy_file, or catalog.cms.cert_file with catalog.cms.key_file");
  expect(attempt).toThrow("outputs.tape_rses");
  expect(attempt).not.toThrow("catalog.cms.rucio_url;");
});
