import type { Alert } from "../domain/dag.ts";
import type { AlertMessage } from "./message.ts";

/** Somewhere alerts are told: took it, or throws with the reason. It bounds its own time and never hangs. */
export interface Sink {
  readonly name: string;
  readonly minSeverity: Alert["severity"];
  tell(message: AlertMessage): Promise<void>;
}

/** `alerts.sinks` of the settings, as people write it. Secrets come as files, read anew for each message. */
export type SinkSettings = {
  readonly name: string;
  readonly min_severity: Alert["severity"];
  readonly timeout_sec: number;
} & (
  | {
      readonly kind: "webhook";
      readonly url?: string | undefined;
      /** For addresses that are secrets themselves. */
      readonly url_file?: string | undefined;
      /** Sent as `Authorization: Bearer …`. */
      readonly token_file?: string | undefined;
    }
  | { readonly kind: "command"; readonly argv: readonly string[] }
  | {
      readonly kind: "smtp";
      readonly host: string;
      readonly port?: number | undefined;
      /** none: plain text · starttls: required · implicit: TLS from the first byte. */
      readonly tls: "none" | "starttls" | "implicit";
      /** A certificate authority of one's own, PEM. */
      readonly ca_file?: string | undefined;
      readonly user?: string | undefined;
      readonly password_file?: string | undefined;
      readonly from: string;
      readonly to: readonly string[];
    }
);
