import type { Clock } from "../base/clock.ts";
import type { Config } from "../config/settings.ts";
import type { Alert } from "../domain/dag.ts";
import { makeCommandSink } from "./command.ts";
import type { AlertMessage } from "./message.ts";
import { makeSmtpSink } from "./smtp.ts";
import { makeWebhookSink } from "./webhook.ts";

/** Somewhere alerts are told: took it, or throws with the reason. It bounds its own time and never hangs. */
export interface Sink {
  readonly name: string;
  readonly minSeverity: Alert["severity"];
  tell(message: AlertMessage): Promise<void>;
}

/** `alerts.sinks` of the settings, as people write it. Secrets come as files, read anew for each message. */
export type SinkSettings = Config["alerts.sinks"][number];

export const makeSinks = (settings: readonly SinkSettings[], clock: Clock): readonly Sink[] =>
  settings.map((one) => makeSink(one, clock));

function makeSink(settings: SinkSettings, clock: Clock): Sink {
  switch (settings.kind) {
    case "webhook":
      return makeWebhookSink(settings);
    case "command":
      return makeCommandSink(settings);
    case "smtp":
      return makeSmtpSink(settings, clock);
  }
}
