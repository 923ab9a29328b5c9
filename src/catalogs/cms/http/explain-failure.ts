/** What broke a call, in words and with what to try; pure. */
interface Failure {
  readonly reason: string;
  readonly hint: string;
}

/** Our side of the handshake. */
interface OurCertificate {
  readonly file: string;
  readonly expiresAt: Date | null;
}

const NO_WAY: Readonly<Record<string, string>> = {
  ECONNREFUSED: "nobody listens there",
  ENOTFOUND: "there is no such host",
  EAI_AGAIN: "the name of the host cannot be looked up now",
  EHOSTUNREACH: "there is no way to the host",
  ENETUNREACH: "there is no way to its network",
  UND_ERR_CONNECT_TIMEOUT: "no connection in time",
  UND_ERR_HEADERS_TIMEOUT: "no answer in time",
  UND_ERR_BODY_TIMEOUT: "the answer stopped in the middle",
  UND_ERR_RES_CONTENT_LENGTH_MISMATCH: "the answer is shorter than it says",
  Z_BUF_ERROR: "the compressed answer ends early",
  Z_DATA_ERROR: "the compressed answer is damaged",
};

const THEIR_CERTIFICATE = new Set([
  "SELF_SIGNED_CERT_IN_CHAIN",
  "DEPTH_ZERO_SELF_SIGNED_CERT",
  "UNABLE_TO_VERIFY_LEAF_SIGNATURE",
  "UNABLE_TO_GET_ISSUER_CERT",
  "UNABLE_TO_GET_ISSUER_CERT_LOCALLY",
  "CERT_SIGNATURE_FAILURE",
]);

/** Many servers end the connection without a word when they do not like a certificate. */
const CUT = new Set(["ECONNRESET", "EPIPE", "UND_ERR_SOCKET"]);

/** The service answered, and does not take us for anybody. */
export function explainNotLetIn(why: string, { file, expiresAt }: OurCertificate, now: Date): Failure {
  if (expiresAt && expiresAt <= now)
    return { reason: `${why}; ${file} expired at ${expiresAt.toISOString()}`, hint: renewal(file) };
  return {
    reason: why,
    hint: `check that its subject is registered there: openssl x509 -in ${file} -noout -subject -dates`,
  };
}

const renewal = (file: string): string => `renew ${file}; the new one is used at once`;

export function explainFailure(error: unknown, host: string, ours: OurCertificate, now: Date): Failure {
  const codes = codesOf(error);
  const has = (known: (code: string) => boolean): boolean => codes.some(known);
  const isAlert = has((code) => code.startsWith("ERR_SSL_") && code.includes("ALERT"));
  const isCut = has((code) => CUT.has(code));
  const { file, expiresAt } = ours;
  if (has((code) => code === "ENOENT" || code === "EACCES" || code.startsWith("ERR_OSSL")))
    return {
      reason: `our certificate, its key or the authorities cannot be used: ${error instanceof Error ? error.message : error}`,
      hint: "check the files of catalog.cms.*_file: they must exist, be PEM, belong together and have no passphrase",
    };
  const look = `check who signed it and until when it holds: openssl x509 -in ${file} -noout -issuer -dates`;
  if ((isAlert || isCut) && expiresAt && expiresAt <= now)
    return {
      reason: `${host} does not accept our certificate in ${file}: it expired at ${expiresAt.toISOString()}`,
      hint: renewal(file),
    };
  if (isAlert)
    return { reason: `${host} does not accept our certificate in ${file} (${codes.join(", ")})`, hint: look };
  if (has((code) => THEIR_CERTIFICATE.has(code)))
    return {
      reason: `the certificate of ${host} is signed by nobody we trust`,
      hint: "set catalog.cms.ca_file to a bundle that holds its authority",
    };
  if (has((code) => code === "CERT_HAS_EXPIRED"))
    return { reason: `the certificate of ${host} has expired`, hint: "tell those who run it; check the clock here" };
  if (has((code) => code === "ERR_TLS_CERT_ALTNAME_INVALID"))
    return { reason: `what answers at ${host} has a certificate for another name`, hint: "check the address" };
  if (isCut)
    return {
      reason: `${host}: the connection was cut`,
      hint: `if that goes on, it may not like our certificate: ${look}`,
    };
  const known = codes.find((code) => NO_WAY[code] !== undefined);
  if (known)
    return { reason: `${host}: ${NO_WAY[known]}`, hint: `check that ${host} runs and can be reached from here` };
  const message = error instanceof Error ? error.message : String(error);
  return { reason: `${host}: ${message}`, hint: "see the message; wms2 doctor checks every service" };
}

/** Of the error and of what caused it. */
function codesOf(error: unknown): readonly string[] {
  const codes: string[] = [];
  for (let at = error, depth = 0; at instanceof Error && depth < 5; at = at.cause, depth += 1) {
    const { code } = at as NodeJS.ErrnoException;
    if (typeof code === "string") codes.push(code);
    if (at instanceof AggregateError) codes.push(...at.errors.flatMap(codesOf));
  }
  return codes;
}
