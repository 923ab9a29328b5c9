/**
 * Text from outside (a job's log, a name, a reason) as a terminal may show it. Sequences that steer a terminal go, whole;
 * other control characters, and those that turn the direction of writing, show as �. Tabs and line ends stay.
 */
const CSI = "(?:\\u001b\\[|\\u009b)[0-?]*[ -/]*[@-~]";
/** Titles, links, the clipboard: up to their end, or the end of the line should they have none. */
const STRING =
  "(?:\\u001b[\\]PX^_]|[\\u0090\\u0098\\u009d-\\u009f])[^\\u0007\\u001b\\u009c\\n]*(?:\\u0007|\\u001b\\\\|\\u009c)?";
const SHORT = "\\u001b[ -/]*[0-~]";
const GONE = `${CSI}|${STRING}|${SHORT}|\\r(?=\\n)`;
const SIGNS = "\\u007f-\\u009f\\u061c\\u200e\\u200f\\u2028-\\u202e\\u2066-\\u2069";
const FOREIGN = new RegExp(`(${GONE})|[\\u0000-\\u0008\\u000b-\\u001f${SIGNS}]`, "g");

export const plainText = (text: string): string => text.replace(FOREIGN, (_, gone) => (gone === undefined ? "�" : ""));

const UNESCAPED = new RegExp(`[${SIGNS}]`, "g");
/** JSON that a terminal may show: what JSON leaves as it is, escaped. The value stays the same. */
export const plainJson = (json: string): string =>
  json.replace(UNESCAPED, (sign) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, "0")}`);
