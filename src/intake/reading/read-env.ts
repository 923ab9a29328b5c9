import type { Form } from "./form.ts";
import { shown } from "./notes.ts";

/** Variables of a command. */
export function readEnv(form: Form): Readonly<Record<string, string>> {
  const env: Record<string, string> = {};
  for (const [key, value] of Object.entries(form.row)) {
    const problem = (message: string, allowed?: string) => form.problem(key, message, allowed);
    if (!/^[A-Za-z_][A-Za-z0-9_]{0,199}$/.test(key))
      problem("is not a name for a variable", "letters, digits and '_', no digit first");
    else if (key.startsWith("WMS2_")) problem("is reserved: WMS2_… variables are set by WMS2");
    else if (value === null) env[key] = "";
    else if (typeof value === "object") problem(`must be text (got ${shown(value)})`);
    else if (String(value).length > 10_000) problem("is too long: at most 10000 characters");
    else env[key] = String(value);
  }
  return env;
}
