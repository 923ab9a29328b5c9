import { resolve } from "node:path";
import { pathToFileURL } from "node:url";
import react from "@vitejs/plugin-react";
import { defineConfig, type Plugin } from "vite";

const root = import.meta.dirname;

// Into dist-web/, since scripts/build clears dist/ of what has no source. Every address is relative: the server writes
// <base> into the page, so it works below any path (docs/adr/0021-web.md).
export default defineConfig({
  root,
  base: "./",
  plugins: [react(), operations()],
  build: {
    outDir: resolve(root, "../dist-web"),
    emptyOutDir: true,
    target: "es2023",
    modulePreload: { polyfill: false },
    assetsInlineLimit: 0,
    reportCompressedSize: false,
  },
  server: { proxy: { "/api": process.env.WMS2_URL ?? "http://127.0.0.1:8080" } },
});

/** The table of operations as the browser needs it: method, path and the names of the query, without zod. */
function operations(): Plugin {
  const name = "virtual:operations";
  return {
    name: "wms2-operations",
    // While somebody writes pages, vite serves them in the place of our server.
    transformIndexHtml: (html, { server }) => (server ? html.replace("<head>", '<head><base href="/">') : html),
    resolveId: (id) => (id === name ? `\0${name}` : null),
    async load(id) {
      if (id !== `\0${name}`) return null;
      const { OPERATIONS } = await import(pathToFileURL(resolve(root, "../dist/src/operations/table.js")).href);
      const rows: Record<string, unknown> = {};
      for (const [subject, entries] of Object.entries<Record<string, BuiltOperation>>(OPERATIONS))
        for (const [verb, { method, path, query }] of Object.entries(entries))
          rows[`${subject}.${verb}`] = [method, path, Object.keys(query?.shape ?? {})];
      return `export default ${JSON.stringify(rows)}`;
    },
  };
}
interface BuiltOperation {
  readonly method: string;
  readonly path: string;
  readonly query?: { readonly shape: object };
}
