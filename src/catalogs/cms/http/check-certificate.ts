import { X509Certificate } from "node:crypto";
import { createSecureContext } from "node:tls";
import { describeError } from "../../../core/base/errors.ts";
import { certificateFile, readTrust, type TrustFiles } from "./trust.ts";

interface CertificateCheck {
  readonly result: "ok" | "warn" | "fail";
  readonly message: string;
  readonly fix: string;
}

const DAY_MS = 24 * 3600 * 1000;
/** Proxies live for days and are renewed by programs; who has a certificate for a year needs time to get another. */
const SOON_DAYS = { short: 2, long: 14 };
const LONG_DAYS = 60;

/** Can the certificate be used, and for how long? For `wms2 doctor` and the watch. */
export async function checkCertificate(files: TrustFiles, now: Date): Promise<CertificateCheck> {
  const file = certificateFile(files);
  try {
    const { cert, key, ca } = await readTrust(files);
    createSecureContext({ cert, key, ca });
    const { subject, validFrom, validTo } = new X509Certificate(cert);
    const held = { from: new Date(validFrom), until: new Date(validTo) };
    return explainValidity(file, subject.replaceAll("\n", ", "), held, now);
  } catch (error) {
    const fix = "see that certificate, key and authorities exist, are PEM, belong together and have no passphrase";
    return { result: "fail", message: `${file} cannot be used: ${describeError(error)}`, fix };
  }
}

function explainValidity(
  file: string,
  subject: string,
  { from, until }: { readonly from: Date; readonly until: Date },
  now: Date,
): CertificateCheck {
  const who = `${file} (${subject})`;
  const days = Math.floor((until.getTime() - now.getTime()) / DAY_MS);
  if (until <= now)
    return { result: "fail", message: `${who} expired at ${until.toISOString()}`, fix: `renew ${file}` };
  const message = `${who} holds until ${until.toISOString()}`;
  const isLong = until.getTime() - from.getTime() > LONG_DAYS * DAY_MS;
  if (days < SOON_DAYS[isLong ? "long" : "short"])
    return { result: "warn", message, fix: `renew ${file}; the new one is used at once` };
  return { result: "ok", message, fix: "" };
}
