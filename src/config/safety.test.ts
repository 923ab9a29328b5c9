import { expect, test } from "vitest";
import { decideWarnings, type Exposure } from "./safety.ts";

const safe: Exposure = {
  host: "127.0.0.1",
  engine: "local",
  uid: 1000,
  dataDir: { path: "/srv/wms2", mode: 0o40700, allowed: 0 },
  tokenFile: { path: "/srv/wms2/operator.token", mode: 0o100600 },
  keyFiles: [{ path: "/srv/wms2/proxy.pem", mode: 0o100600 }],
};
const dataDir = (mode: number, allowed: number) => ({ dataDir: { path: "/srv/wms2", mode, allowed } });
const tokenFile = (mode: number) => ({ tokenFile: { path: "/srv/wms2/operator.token", mode } });

test.each<[story: string, change: Partial<Exposure>, words: RegExp[]]>([
  ["nothing to say", {}, []],
  ["a data directory that others may list", dataDir(0o40755, 0), [/look into the data directory.*chmod 700/]],
  ["one that jobs of somebody else pass through", dataDir(0o40711, 0o011), []],
  ["and may also be listed", dataDir(0o40755, 0o011), [/chmod 711/]],
  ["a token the group may read", tokenFile(0o100640), [/read the operator token.*wms2 tokens/]],
  [
    "a key the group may read",
    { keyFiles: [{ path: "/srv/key.pem", mode: 0o100640 }] },
    [/read the key in \/srv\/key\.pem.*chmod 600/],
  ],
  ["elsewhere than loopback", { host: "0.0.0.0" }, [/0\.0\.0\.0 is reached by plain HTTP.*TLS/]],
  ["loopback by other names", { host: "127.8.0.1" }, []],
  ["a name that only begins like loopback", { host: "127.evil.example" }, [/plain HTTP/]],
  ["root with the local engine", { uid: 0 }, [/every job is root/]],
  ["root for a pool", { uid: 0, engine: "dagman" }, []],
  [
    "all at once",
    { uid: 0, host: "::", ...dataDir(0o40777, 0), ...tokenFile(0o100644) },
    [/look/, /read/, /HTTP/, /root/],
  ],
])("%s", (_story, change, words) => {
  const told = decideWarnings({ ...safe, ...change }).map(({ what, fix }) => `${what}; ${fix}`);
  expect(told).toEqual(words.map((pattern) => expect.stringMatching(pattern)));
});
