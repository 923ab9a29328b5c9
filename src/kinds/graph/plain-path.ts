/** A path in one spelling: from the directory where it lies below it, else absolute; without "." and "..". */
export function plainPath(path: string, directory: string): string {
  if (!/^\/|\/\/|(^|\/)\.\.?(\/|$)|\/$/.test(path)) return path;
  const parts: string[] = [];
  for (const part of (path.startsWith("/") ? path : `${directory}/${path}`).split("/")) {
    if (part === "..") parts.pop();
    else if (part !== "" && part !== ".") parts.push(part);
  }
  const absolute = `/${parts.join("/")}`;
  const inside = directory.endsWith("/") ? directory : `${directory}/`;
  return absolute.startsWith(inside) ? absolute.slice(inside.length) : absolute;
}
