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

export interface CertificateFiles {
  readonly caFile: string;
  /** A certificate authority that signed nothing here. */
  readonly otherCaFile: string;
  readonly serverCertFile: string;
  readonly serverKeyFile: string;
  readonly certFile: string;
  readonly keyFile: string;
  /** Certificate, key and authority in one file, as grid proxies are. */
  readonly proxyFile: string;
  /** Was good until yesterday; its key is keyFile. */
  readonly expiredCertFile: string;
  readonly expiredProxyFile: string;
}

/** Made once, all or none, and kept: clients trust them across restarts. */
export function certificatesIn(dir: string): CertificateFiles {
  const folder = join(dir, "certificates");
  if (!existsSync(folder)) {
    mkdirSync(dir, { recursive: true });
    const made = mkdtempSync(join(dir, "certificates-"));
    for (const [name, text] of Object.entries(makeAll())) writeFileSync(join(made, name), text, { mode: 0o600 });
    renameSync(made, folder);
  }
  const at = (name: string): string => join(folder, name);
  return {
    caFile: at("ca.pem"),
    otherCaFile: at("other-ca.pem"),
    serverCertFile: at("server.pem"),
    serverKeyFile: at("server-key.pem"),
    certFile: at("client.pem"),
    keyFile: at("client-key.pem"),
    proxyFile: at("proxy.pem"),
    expiredCertFile: at("expired.pem"),
    expiredProxyFile: at("expired-proxy.pem"),
  };
}

function makeAll(): Record<string, string> {
  const [ca, other, server, client] = Array.from({ length: 4 }, () =>
    generateKeyPairSync("ec", { namedCurve: "P-256" }),
  ) as [Pair, Pair, Pair, Pair];
  const until = new Date(Date.now() + 3650 * DAY_MS);
  const maker = { name: "throw-away authority", key: ca.privateKey };
  const stranger = { name: "another authority", key: other.privateKey };
  const caPem = certificate(maker, { name: maker.name, key: ca.publicKey, until, extensions: [IS_CA] });
  const person = { name: "robot wms2", key: client.publicKey };
  const good = certificate(maker, { ...person, until });
  const expired = certificate(maker, { ...person, until: new Date(Date.now() - DAY_MS) });
  const key = pem(client.privateKey);
  return {
    "ca.pem": caPem,
    "other-ca.pem": certificate(stranger, { name: stranger.name, key: other.publicKey, until, extensions: [IS_CA] }),
    "server.pem": certificate(maker, { name: "localhost", key: server.publicKey, until, extensions: [IS_LOCAL] }),
    "server-key.pem": pem(server.privateKey),
    "client.pem": good,
    "client-key.pem": key,
    "proxy.pem": good + key + caPem,
    "expired.pem": expired,
    "expired-proxy.pem": expired + key + caPem,
  };
}

type Pair = ReturnType<typeof generateKeyPairSync> & { publicKey: KeyObject; privateKey: KeyObject };
const pem = (key: KeyObject): string => key.export({ type: "pkcs8", format: "pem" }) as string;
