import { readFile } from "node:fs/promises";
import { describeError } from "../../../core/base/errors.ts";
import type { AlertMessage } from "./message.ts";
import type { SettingsOf } from "./sink.ts";

/** POSTs the message as JSON. Anything but a 2xx is a refusal; redirects are refused too, since a token travels along. */
export async function post(settings: SettingsOf<"webhook">, message: AlertMessage): Promise<void> {
  const url = settings.url ?? (await secret(settings.url_file ?? ""));
  const token = settings.token_file === undefined ? null : await secret(settings.token_file);
  const where = URL.canParse(url) ? new URL(url).host : "its address";
  const answer = await fetch(url, {
    method: "POST",
    headers: {
      "content-type": "application/json",
      "idempotency-key": `${message.source}-${message.id}-${message.revision}`,
      ...(token !== null && { authorization: `Bearer ${token}` }),
    },
    // Chat services show the text alone.
    body: JSON.stringify({ ...message, text: [message.text, message.url ?? []].flat().join(" ") }),
    redirect: "error",
    signal: AbortSignal.timeout(settings.timeout_sec * 1000),
  }).catch((error: unknown) => {
    // The whole address may be a secret; its host is enough to go by.
    const cause = (error as { cause?: unknown }).cause ?? error;
    throw new Error(`${where} did not take it: ${describeError(cause)}`);
  });
  const body = (await answer.text().catch(() => "")).trim().slice(0, 200);
  if (!answer.ok) throw new Error(`${where} answered ${answer.status}${body ? `: ${body}` : ""}`);
}

export async function secret(file: string): Promise<string> {
  try {
    return (await readFile(file, "utf8")).trim();
  } catch (error) {
    throw new Error(`${file} cannot be read`, { cause: error });
  }
}
