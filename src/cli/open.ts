import { spawn } from "node:child_process";
import { deskUrl, requestUrl } from "../core/base/desk-url.ts";
import { aRequest, command } from "./command.ts";

/** What opens an address in the browser of this machine's user. */
const OPENERS: Partial<Record<NodeJS.Platform, string>> = { darwin: "open", linux: "xdg-open" };

export const addOpen = command("open", {
  about: "open the page of a request, or the operator's desk, in the browser",
  arguments: { "[name]": aRequest("the request; the whole desk when left out") },
  json: "only print the address, as JSON",
  examples: ["wms2 open", "wms2 open weather-example"],
  more: "Where there is no browser, the address is printed.",
  async run({ client, options }, name: string | undefined) {
    // Whoever opens the page of a request that is not there learns it here.
    if (name !== undefined) await client.requests.show({ name });
    const url = name === undefined ? deskUrl(client.url) : requestUrl(client.url, name);
    const isOpened = !options.json && (await openInBrowser(url));
    return { json: { url }, page: () => url, ...(isOpened && { note: "opened in the browser" }) };
  },
});

/** Without a screen of its own, a machine has no browser that anybody would see. */
async function openInBrowser(url: string, { platform, env } = process): Promise<boolean> {
  const opener = OPENERS[platform];
  const hasScreen = platform === "darwin" || Boolean(env.DISPLAY || env.WAYLAND_DISPLAY);
  if (!opener || !hasScreen) return false;
  return new Promise((done) => {
    const child = spawn(opener, [url], { stdio: "ignore", detached: true });
    child.once("error", () => done(false));
    child.once("spawn", () => {
      child.unref();
      done(true);
    });
  });
}
