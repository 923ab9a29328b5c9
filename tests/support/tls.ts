import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** A certificate authority that nobody else trusts, and what it signed. */
export interface TestCa {
  readonly file: string;
  /** Both in one file, as proxies are. */
  issue(name: string, validDays?: number): { readonly cert: string; readonly key: string; readonly proxy: string };
  remove(): void;
}

const KEY = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"];

export function makeTestCa(): TestCa {
  const dir = mkdtempSync(join(tmpdir(), "wms2-tls-"));
  const openssl = (...args: string[]) => execFileSync("openssl", args, { cwd: dir, stdio: "pipe" });
  openssl("req", "-x509", ...KEY, "-keyout", "ca.key", "-out", "ca.pem", "-subj", "/CN=test authority", "-days", "2");
  writeFileSync(join(dir, "names"), "subjectAltName=DNS:localhost,IP:127.0.0.1");
  let serial = 0;
  return {
    file: join(dir, "ca.pem"),
    remove: () => rmSync(dir, { recursive: true, force: true }),
    issue(name, validDays = 1) {
      serial += 1;
      const [cert, key, proxy] = ["cert", "key", "proxy"].map((what) => join(dir, `${what}-${serial}.pem`)) as [
        string,
        string,
        string,
      ];
      openssl("req", ...KEY, "-keyout", key, "-out", "request", "-subj", `/CN=${name}`);
      const signed = ["-CA", "ca.pem", "-CAkey", "ca.key", "-set_serial", String(serial), "-extfile", "names"];
      openssl("x509", "-req", "-in", "request", ...signed, "-days", String(validDays), "-out", cert);
      writeFileSync(proxy, readFileSync(cert, "utf8") + readFileSync(key, "utf8"), { mode: 0o600 });
      return { cert, key, proxy };
    },
  };
}
