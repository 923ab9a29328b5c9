import { isLoopback } from "../core/base/loopback.ts";

/** How a server is about to run, as far as others could make use of it. Modes are those of the file system. */
export interface Exposure {
  readonly host: string;
  readonly engine: string;
  readonly uid: number | null;
  readonly dataDir: {
    readonly path: string;
    readonly mode: number /** What others need there. */;
    readonly allowed: number;
  };
  readonly tokenFile: { readonly path: string; readonly mode: number };
  /** Keys and proxies shown to outside services. */
  readonly keyFiles: readonly { readonly path: string; readonly mode: number }[];
}

export interface Warning {
  readonly what: string;
  readonly fix: string;
}

/** What is unsafe about it, and how to fix each; docs/security.md says why. */
export function decideWarnings({ host, engine, uid, dataDir, tokenFile, keyFiles }: Exposure): readonly Warning[] {
  const forOthers = (mode: number, allowed = 0): boolean => (mode & 0o077 & ~allowed) !== 0;
  const warnings: readonly [isSo: boolean, what: string, fix: string][] = [
    ...keyFiles.map(({ path, mode }): [boolean, string, string] => [
      forOthers(mode),
      `others may read the key in ${path}, and with it be this server to DBS and Rucio`,
      `chmod 600 ${path}`,
    ]),
    [
      forOthers(dataDir.mode, dataDir.allowed),
      `others may look into the data directory ${dataDir.path}: it holds the token and everything requests wrote`,
      `chmod ${(0o700 | dataDir.allowed).toString(8)} ${dataDir.path}`,
    ],
    [
      forOthers(tokenFile.mode),
      `others may read the operator token in ${tokenFile.path}, and with it run programs as this server`,
      "delete the file, restart the server, and withdraw the old token: wms2 tokens",
    ],
    [
      !isLoopback(host),
      `${host} is reached by plain HTTP: whoever sees the traffic can read tokens, requests and logs`,
      "listen on 127.0.0.1 behind a proxy with TLS (docs/security.md)",
    ],
    [
      uid === 0 && engine === "local",
      "this server is root and runs jobs itself: every job is root",
      "run it as a user of its own (docs/security.md)",
    ],
  ];
  return warnings.flatMap(([isSo, what, fix]) => (isSo ? [{ what, fix }] : []));
}
