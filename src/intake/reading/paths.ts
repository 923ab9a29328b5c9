/** Where in a document something stands, as the person wrote it: `steps[1].run`, `attachments["a.sh"]`. */
export function childPath(path: string, key: string | number): string {
  if (typeof key === "number") return `${path}[${key}]`;
  if (!/^[A-Za-z0-9_-]{1,60}$/.test(key))
    return `${path}[${JSON.stringify(key.length > 60 ? `${key.slice(0, 60)}…` : key)}]`;
  return path === "" ? key : `${path}.${key}`;
}

/**
 * The name under which a file travels: `./select.sh` is `select.sh`. null unless it is a plain relative path
 * whose parts are all names (letters, digits, _ . -), so it can neither leave the directory it is staged into nor need quoting.
 */
export function travelPath(written: string): string | null {
  const path = written.startsWith("./") ? written.slice(2) : written;
  const parts = path.split("/");
  if (path.length > 200 || parts.length > 8) return null;
  return parts.every((part) => /^[A-Za-z0-9_][A-Za-z0-9_.-]*$/.test(part)) ? path : null;
}
export const TRAVEL_RULE =
  "a relative path of letters, digits, '_', '.', '-' and '/', without '..'; at most 200 characters";
