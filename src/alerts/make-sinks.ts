import type { Clock } from "../base/clock.ts";
import { makeCommandSink } from "./command.ts";
import type { Sink, SinkSettings } from "./sink.ts";
import { makeSmtpSink } from "./smtp.ts";
import { makeWebhookSink } from "./webhook.ts";

export function makeSinks(settings: readonly SinkSettings[], clock: Clock): readonly Sink[] {
  return settings.map((one) => {
    switch (one.kind) {
      case "webhook":
        return makeWebhookSink(one);
      case "command":
        return makeCommandSink(one);
      case "smtp":
        return makeSmtpSink(one, clock);
    }
  });
}
