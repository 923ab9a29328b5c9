import { writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { stringify as toYaml } from "yaml";
import { WorldError } from "../core/base/errors.ts";
import { isRow } from "../intake/reading/values.ts";
import { command, type Options, type Values } from "./command.ts";
import { number } from "./option-values.ts";
import { problemsIn, readDocument } from "./request-file.ts";
import { type GlobalOptions, settingsFrom } from "./settings.ts";
import { onSignals, paintFor, print, talk } from "./terminal.ts";

const OPTIONS = {
  "--port <port>": { about: "port on 127.0.0.1; 0 picks a free one", parse: number, fallback: 8421 },
  "--dir <dir>": "where state and certificates are kept (default: emulate in the data directory)",
  "--seed <file>": "what they know at their first start, YAML or JSON (default: a small world with two requests)",
  "--sites <names...>": "names of the sites in the default world; the first one has tape",
  "--faults <file>": "a list of faults, YAML or JSON",
} as const satisfies Options;

/** ReqMgr2, DBS, Rucio and CRIC to try things with. */
export const addEmulate = command("emulate", {
  about: "emulate ReqMgr2, DBS, Rucio and CRIC on this machine, over HTTPS",
  options: OPTIONS,
  json: null,
  examples: [
    "wms2 emulate                                     then: wms2 serve --config …/emulate/wms2.yaml",
    "wms2 emulate --seed world.yaml --dir /tmp/world",
    "wms2 emulate --sites T1_US_Here T2_US_There",
    "wms2 emulate --faults faults.yaml                fail now and then, as told",
  ],
  more: "It may be killed at any moment and goes on from its directory. See docs/guides/emulate.md.",
  async run({ options }) {
    await emulate(options);
  },
});

async function emulate(options: Values<typeof OPTIONS> & GlobalOptions): Promise<void> {
  const { startEmulators } = await import("../../lab/emulate/index.ts");
  const stopped = new Promise<void>((stop) => onSignals(stop));
  const dir = resolve(options.dir ?? join(settingsFrom(options).config.data_dir, "emulate"));
  const emulated = await startEmulators({
    dir,
    port: options.port,
    ...(options.seed !== undefined && { seed: documentIn(options.seed) }),
    ...(options.sites !== undefined && { sites: options.sites }),
    ...(options.faults !== undefined && { faults: listIn(options.faults) }),
  }).catch((error: unknown) => {
    throw listenFailure(options.port, error) ?? error;
  });
  const file = join(dir, "wms2.yaml");
  const settings = toYaml({ ...emulated.settings, "engine.local.sites": sitesOf(emulated.state()) });
  writeFileSync(file, settings);
  print(settings);
  const paint = paintFor(process.stderr);
  talk(`  ${paint.dim("settings above in")} ${file}\n  ${paint.dim("try")} wms2 serve --config ${file}`);
  talk(`  ${paint.dim("steer at")} ${emulated.urls.steering} ${paint.dim("with")} ${emulated.proxyFile}`);
  await stopped;
  await emulated.close();
}

/** The same sites on the side of the jobs: work goes where its data are. */
const sitesOf = (state: Readonly<Record<string, object>>) =>
  Object.keys(state["cric.sites"] ?? {}).map((name) => ({ name, cores: 2, memory_mb: 4000 }));

function documentIn(file: string): unknown {
  const parsed = readDocument(file);
  if (!parsed.ok) throw problemsIn(file, parsed.error);
  return parsed.value;
}

/** A list, or one under the name "faults". */
function listIn(file: string): readonly unknown[] {
  const document = documentIn(file);
  const list = isRow(document) ? document.faults : document;
  if (Array.isArray(list)) return list;
  throw new WorldError("bad-usage", file, `${file} must hold a list of faults`, { hint: "see docs/guides/emulate.md" });
}

function listenFailure(port: number, error: unknown): WorldError | null {
  if ((error as NodeJS.ErrnoException).syscall !== "listen") return null;
  return new WorldError("bad-config", `127.0.0.1:${port}`, `cannot listen on 127.0.0.1:${port}`, {
    cause: error,
    hint: "give another --port (0 picks a free one)",
  });
}
