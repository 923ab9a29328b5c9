import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { tempDir } from "../../tests/support/temp-dir.ts";
import { WorldError } from "../base/errors.ts";
import { describeConfig, loadConfig } from "./load.ts";

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
