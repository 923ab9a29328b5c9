import { readFile } from "node:fs/promises";
import { hostname } from "node:os";
import type { Clock } from "../base/clock.ts";
import { mailText } from "./mail-text.ts";
import type { AlertMessage } from "./message.ts";
import type { Sink, SinkSettings } from "./sink.ts";
import { sendMail } from "./smtp-session.ts";
import { secret } from "./webhook.ts";

const PORTS = { none: 25, starttls: 587, implicit: 465 };

/** One mail per change; mails about the same alert are a thread. */
export function makeSmtpSink(settings: Extract<SinkSettings, { kind: "smtp" }>, clock: Clock): Sink {
  const { from, to, host, tls, user } = settings;
  const idOf = (message: AlertMessage, revision: number) =>
    `wms2-alert-${message.id}-${revision}.${domainOf(message.source)}`;
  return {
    name: settings.name,
    minSeverity: settings.min_severity,
    async tell(message) {
      const password = settings.password_file === undefined ? null : await secret(settings.password_file);
      const ca = settings.ca_file === undefined ? undefined : await readFile(settings.ca_file, "utf8");
      const text = mailText({
        from,
        to,
        subject: `[wms2] ${message.text.replace(/^wms2 /, "").slice(0, 150)}`,
        body: body(message),
        date: clock.now(),
        messageId: idOf(message, message.revision),
        inReplyTo: message.revision > 1 ? idOf(message, 1) : null,
        headers: { "X-WMS2-Alert": message.key, "X-WMS2-Severity": message.severity },
      });
      await sendMail(
        {
          host,
          port: settings.port ?? PORTS[tls],
          tls,
          ca,
          auth: user === undefined || password === null ? null : { user, password },
          timeoutMs: settings.timeout_sec * 1000,
          helo: domainOf(hostname()),
        },
        { from, to },
        text,
      );
    },
  };
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
  };
  const rows = Object.entries(facts).map(([name, value]) => `${`${name}:`.padEnd(17)}${value}`);
  return [message.message, "", ...rows, "", "See what is open with: wms2 alerts", ""].join("\n");
}
