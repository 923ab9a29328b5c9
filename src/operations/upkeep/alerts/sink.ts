import type { Config } from "../../../config/settings.ts";
import type { Clock } from "../../../core/base/clock.ts";
import type { Alert } from "../../../core/dag.ts";
import { runProgram } from "./command.ts";
import type { AlertMessage } from "./message.ts";
import { sendMail } from "./smtp.ts";
import { post } from "./webhook.ts";

/** Somewhere alerts are told: took it, or throws with the reason. It bounds its own time and never hangs. */
export interface Sink {
  readonly name: string;
  readonly minSeverity: Alert["severity"];
  tell(message: AlertMessage): Promise<void>;
}

/** `alerts.sinks` of the settings, as people write it. Secrets come as files, read again for each message. */
type SinkSettings = Config["alerts.sinks"][number];
export type SettingsOf<K extends SinkSettings["kind"]> = Extract<SinkSettings, { kind: K }>;

export const makeSinks = (settings: readonly SinkSettings[], clock: Clock): readonly Sink[] =>
  settings.map((one) => ({
    name: one.name,
    minSeverity: one.min_severity,
    tell: (message) => tell(one, message, clock.now()),
  }));

function tell(settings: SinkSettings, message: AlertMessage, now: Date): Promise<void> {
  switch (settings.kind) {
    case "webhook":
      return post(settings, message);
    case "command":
      return runProgram(settings, message);
    case "smtp":
      return sendMail(settings, message, now);
  }
}
