type Names = Readonly<Record<string, string | undefined>>;

/** The router leaves signs like %2F as they were typed; a name is what they stand for. */
export const decodedNames = (names: Names): Names =>
  Object.fromEntries(Object.entries(names).map(([key, text]) => [key, text && decoded(text)]));

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text; // a lone % is itself
  }
}

/** What a tab of the browser is called: the thing itself first, since tabs are narrow. */
export function tabTitle({ path, title }: { readonly path: string; readonly title: string }, names: Names): string {
  const ownKey = /:(\w+)$/.exec(path)?.[1];
  const own = (ownKey && names[ownKey]) || title;
  return [...new Set([own, names.name ?? own, "WMS2"])].join(" · ");
}
