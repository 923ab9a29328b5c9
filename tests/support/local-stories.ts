import { afterAll, beforeAll, test } from "vitest";
import { ServerUnderTest } from "./server.ts";
import { tempDir } from "./temp-dir.ts";

type Story = (server: ServerUnderTest, dir: string) => Promise<void>;

/** Stories, by their titles, of one server with the local engine; each has a directory of its own. */
export function localStories(what: string, stories: Readonly<Record<string, Story>>): void {
  const server = new ServerUnderTest({ "engine.local.sites": [{ name: "here", cores: 8, memory_mb: 8000 }] });
  beforeAll(() => server.start());
  afterAll(async () => {
    await server.stop();
    await server.remove();
  });
  for (const [title, story] of Object.entries(stories))
    test(title, { timeout: 240_000 }, () => story(server, tempDir(what)));
}
