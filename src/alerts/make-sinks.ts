import type { Clock } from "../base/clock.ts";
import { makeCommandSink } from "./command.ts";
import type { Sink, SinkSettings } from "./sink.ts";
import { makeSmtpSink } from "./smtp.ts";
import { makeWebhookSink } from "./webhook.ts";

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
