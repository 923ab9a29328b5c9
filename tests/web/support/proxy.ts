import { createServer, request } from "node:http";
import type { AddressInfo } from "node:net";
import { onTestFinished } from "vitest";

/** A proxy in front of the server, below a path of its own; with `host`, under a name that is not of this machine. */
export async function startProxy(target: string, options: { prefix?: string; host?: string }): Promise<string> {
  const { prefix = "", host } = options;
  const server = createServer((asked, answer) => {
    if (!asked.url?.startsWith(prefix)) return void answer.writeHead(404).end("not below the prefix");
    const url = new URL(target + asked.url.slice(prefix.length));
    const passed = request(url, { method: asked.method, headers: { ...asked.headers, host: host ?? url.host } });
    passed.on("response", (got) => {
      answer.writeHead(got.statusCode ?? 502, got.headers);
      got.pipe(answer);
    });
    passed.on("error", () => answer.destroy());
    answer.on("close", () => passed.destroy());
    asked.pipe(passed);
  });
  await new Promise<void>((ready) => server.listen(0, "127.0.0.1", ready));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}${prefix}`;
}
