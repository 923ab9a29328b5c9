declare module "virtual:operations" {
  /** By subject.verb: method, path with `:name` for a parameter, names of the query. Made by vite.config.ts. */
  const table: Readonly<Record<string, readonly [method: string, path: string, query: readonly string[]]>>;
  export default table;
}
