import { generateKeyPairSync, type KeyObject, randomBytes, sign } from "node:crypto";
import { existsSync, mkdirSync, mkdtempSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** Node reads certificates but cannot make them: the few kinds of DER values that one takes are written here. */
const der = (tag: number, ...parts: readonly Uint8Array[]): Buffer => {
  const body = Buffer.concat(parts);
  const size = body.length < 128 ? [body.length] : [0x82, body.length >> 8, body.length & 255];
  return Buffer.concat([Buffer.from([tag, ...size]), body]);
};
const list = (...parts: readonly Uint8Array[]): Buffer => der(0x30, ...parts);
const oid = (hex: string): Buffer => der(0x06, Buffer.from(hex, "hex"));
const utf8 = (text: string): Buffer => der(0x0c, Buffer.from(text));
const time = (at: Date): Buffer =>
  der(0x17, Buffer.from(`${at.toISOString().replaceAll(/\D/g, "").slice(2, 14)}Z`, "ascii"));

const ECDSA_SHA256 = list(oid("2a8648ce3d040302"));
const nameOf = (cn: string): Buffer =>
  list(
    der(0x31, list(oid("55040a"), utf8("WMS2 emulation"))), // O
    der(0x31, list(oid("550403"), utf8(cn))), // CN
  );
const extension = (id: string, value: Buffer): Buffer => list(oid(id), der(0x04, value));
const IS_CA = extension("551d13", Buffer.from("30030101ff", "hex"));
const IS_LOCAL = extension(
  "551d11",
  list(der(0x82, Buffer.from("localhost", "ascii")), der(0x87, Buffer.from([127, 0, 0, 1]))),
);

interface Maker {
  readonly name: string;
  readonly key: KeyObject;
}
interface Wanted {
  readonly name: string;
  readonly key: KeyObject;
  readonly until: Date;
  readonly extensions?: readonly Buffer[];
}

function certificate(maker: Maker, { name, key, until, extensions = [] }: Wanted): string {
  const serial = Buffer.concat([Buffer.from([1]), randomBytes(8)]);
  const body = list(
    der(0xa0, der(0x02, Buffer.from([2]))),
    der(0x02, serial),
    ECDSA_SHA256,
    nameOf(maker.name),
    list(time(new Date(Date.now() - 2 * DAY_MS)), time(until)),
    nameOf(name),
    key.export({ type: "spki", format: "der" }),
    ...(extensions.length > 0 ? [der(0xa3, list(...extensions))] : []),
  );
  const whole = list(body, ECDSA_SHA256, der(0x03, Buffer.from([0]), sign("sha256", body, maker.key)));
  const lines = whole.toString("base64").match(/.{1,64}/g) ?? [];
  return ["-----BEGIN CERTIFICATE-----", ...lines, "-----END CERTIFICATE-----", ""].join("\n");
}

const DAY_MS = 86_400_000;

const FILES = {
  caFile: "ca.pem",
  /** An authority that signed nothing here. */
  otherCaFile: "other-ca.pem",
  serverCertFile: "server.pem",
  serverKeyFile: "server-key.pem",
  certFile: "client.pem",
  keyFile: "client-key.pem",
  /** Certificate, key and authority in one file, as grid proxies are. */
  proxyFile: "proxy.pem",
  /** Was good until yesterday; its key is keyFile. */
  expiredCertFile: "expired.pem",
  expiredProxyFile: "expired-proxy.pem",
} as const;
export type CertificateFiles = Readonly<Record<keyof typeof FILES, string>>;

/** Made once, all or none, and kept: clients trust them across restarts. */
export function certificatesIn(dir: string): CertificateFiles {
  const folder = join(dir, "certificates");
  const entries = Object.entries(FILES) as [keyof CertificateFiles, string][];
  if (!existsSync(folder)) {
    mkdirSync(dir, { recursive: true });
    const fresh = mkdtempSync(join(dir, "certificates-"));
    const texts = makeAll();
    for (const [key, name] of entries) writeFileSync(join(fresh, name), texts[key], { mode: 0o600 });
    renameSync(fresh, folder);
  }
  return Object.fromEntries(entries.map(([key, name]) => [key, join(folder, name)])) as CertificateFiles;
}

function makeAll(): CertificateFiles {
  const [ca, other, server, client] = Array.from({ length: 4 }, () =>
    generateKeyPairSync("ec", { namedCurve: "P-256" }),
  ) as [Pair, Pair, Pair, Pair];
  const until = new Date(Date.now() + 3650 * DAY_MS);
  const maker = { name: "throw-away authority", key: ca.privateKey };
  const another = { name: "another authority", key: other.privateKey };
  const caPem = certificate(maker, { name: maker.name, key: ca.publicKey, until, extensions: [IS_CA] });
  const person = { name: "robot wms2", key: client.publicKey };
  const good = certificate(maker, { ...person, until });
  const expired = certificate(maker, { ...person, until: new Date(Date.now() - DAY_MS) });
  const key = pem(client.privateKey);
  return {
    caFile: caPem,
    otherCaFile: certificate(another, { name: another.name, key: other.publicKey, until, extensions: [IS_CA] }),
    serverCertFile: certificate(maker, { name: "localhost", key: server.publicKey, until, extensions: [IS_LOCAL] }),
    serverKeyFile: pem(server.privateKey),
    certFile: good,
    keyFile: key,
    proxyFile: good + key + caPem,
    expiredCertFile: expired,
    expiredProxyFile: expired + key + caPem,
  };
}

type Pair = ReturnType<typeof generateKeyPairSync> & { publicKey: KeyObject; privateKey: KeyObject };
const pem = (key: KeyObject): string => key.export({ type: "pkcs8", format: "pem" }) as string;
