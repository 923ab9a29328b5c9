/** Where the pages of the operator's desk are: the one place that makes their addresses. */
export const deskUrl = (server: string, ...path: readonly string[]): string =>
  [server.replace(/\/+$/, ""), "desk", ...path.map(encodeURIComponent)].join("/");

/** The page of one request. */
export const requestUrl = (server: string, name: string): string => deskUrl(server, "requests", name);
