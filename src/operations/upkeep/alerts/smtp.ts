import { readFile } from "node:fs/promises";
import { hostname } from "node:os";
import { Readable } from "node:stream";
import MailComposer from "nodemailer/lib/mail-composer";
import SMTPConnection, { type SMTPConnectionAuth, type SMTPConnectionEnvelope } from "nodemailer/lib/smtp-connection";
import type { AlertMessage } from "./message.ts";
import type { SettingsOf } from "./sink.ts";
import { secret } from "./webhook.ts";

type SmtpSettings = SettingsOf<"smtp">;

/** none: plain text · starttls: required · implicit: TLS from the first byte. */
const PORTS = { none: 25, starttls: 587, implicit: 465 };

/** One mail per change. */
export async function sendMail(settings: SmtpSettings, message: AlertMessage, now: Date): Promise<void> {
  const { user, password_file } = settings;
  const auth = user && password_file ? { user, pass: await secret(password_file) } : null;
  await send(settings, auth, await mailText(message, settings, now));
}

/** Mails about the same alert are a thread. Nothing an alert says can break out of its header. */
export function mailText(
  message: AlertMessage,
  { from, to }: Pick<SmtpSettings, "from" | "to">,
  date: Date,
): Promise<Buffer> {
  const idOf = (revision: number) => `<wms2-alert-${message.id}-${revision}.${domainOf(message.source)}>`;
  const first = message.revision > 1 ? idOf(1) : undefined;
  const mail = new MailComposer({
    from,
    to: [...to],
    subject: `[wms2] ${message.text.replace(/^wms2 /, "").slice(0, 150)}`.replaceAll(/[\s\0]+/g, " "),
    text: body(message).replaceAll("\0", ""),
    date,
    messageId: idOf(message.revision),
    inReplyTo: first,
    references: first,
    headers: { "Auto-Submitted": "auto-generated", "X-WMS2-Alert": message.key, "X-WMS2-Severity": message.severity },
    normalizeHeaderKey: (key) => key.replace("-Wms2-", "-WMS2-"),
  });
  return mail.compile().build();
}

/**
 * Either the server took the mail for every recipient or this throws and it took it for none: when it has refused an
 * address the text is not sent, and the connection is cut before the mail is whole. A later try repeats nothing.
 */
async function send(settings: SmtpSettings, auth: SMTPConnectionAuth | null, text: Buffer): Promise<void> {
  const { from, to, host, tls, port = PORTS[tls], timeout_sec } = settings;
  if (auth && tls === "none" && !["localhost", "127.0.0.1", "::1"].includes(host))
    throw new Error("a password is not sent without TLS");
  const ca = settings.ca_file === undefined ? undefined : await readFile(settings.ca_file, "utf8");
  const connection = new SMTPConnection({
    host,
    port,
    secure: tls === "implicit",
    requireTLS: tls === "starttls",
    ignoreTLS: tls === "none",
    tls: { ca },
    name: domainOf(hostname()),
    socketTimeout: timeout_sec * 1000,
  });
  const envelope: Partial<SMTPConnectionEnvelope> = { from, to: [...to] };
  const refused = () => envelope.rejectedErrors?.[0];
  /** Read when the server has answered to every address, and waits for the text. */
  const whole = async function* () {
    if (refused()) throw new Error("not for all of them");
    yield text;
  };
  const talk = async () => {
    await answer((done) => connection.connect(done));
    if (auth) await answer((done) => connection.login(auth, done));
    await answer((done) => connection.send(envelope, Readable.from(whole()), done));
  };
  let timer: NodeJS.Timeout | undefined;
  const trouble = new Promise<never>((_, reject) => {
    connection.on("error", reject);
    timer = setTimeout(() => reject(new Error(`no answer within ${timeout_sec} s`)), timeout_sec * 1000);
  });
  try {
    await Promise.race([talk(), trouble]);
    connection.quit(); // it has the mail: what it says to this does not matter
  } catch (error) {
    connection.close();
    throw explained(refused() ?? (error as SmtpError), host, port);
  } finally {
    clearTimeout(timer);
  }
}

const answer = (ask: (done: (error?: Error | null) => void) => void): Promise<void> =>
  new Promise((resolve, reject) => ask((error) => (error ? reject(error) : resolve())));

/** What nodemailer adds to an error when it was the server that refused. */
type SmtpError = Error & { responseCode?: number; response?: string; command?: string; recipient?: string };

function explained(error: SmtpError, host: string, port: number): Error {
  const { responseCode, response = "", command, recipient } = error;
  if (!responseCode) return new Error(`${host}:${port}`, { cause: error });
  const what = recipient ? `${command}:<${recipient}>` : command;
  return new Error(`${host} answered ${responseCode} to ${what}: ${response.slice(0, 200)}`);
}

const domainOf = (name: string): string => `${name.replaceAll(/[^A-Za-z0-9.-]/g, "-") || "wms2"}`;

function body(message: AlertMessage): string {
  const facts = {
    severity: message.severity,
    subject: message.subject,
    "first seen": message.first_at,
    "last seen": message.last_at,
    ...(message.acknowledged_by !== null && { "acknowledged by": message.acknowledged_by }),
    ...(message.closed_at !== null && { "over since": message.closed_at }),
    from: message.source,
    key: message.key,
    ...(message.url !== null && { page: message.url }),
  };
  const rows = Object.entries(facts).map(([name, value]) => `${`${name}:`.padEnd(17)}${value}`);
  return [message.message, "", ...rows, "", "See what is open with: wms2 alerts", ""].join("\n");
}
