import { type Ask, answered, askHeaders } from "../operations/mcp/ask.ts";
import { type Client, makeClient } from "./client.ts";
import { command } from "./command.ts";
import { reachOf } from "./reach.ts";
import { talk } from "./terminal.ts";

/** The server is asked with every call, not before: an agent may be started first, and is told what to do. */
export const addMcp = command("mcp", {
  about: "let an agent look after requests: the Model Context Protocol on stdin and stdout",
  options: { "--read-only": "offer only tools that change nothing" },
  json: null,
  examples: [
    "wms2 mcp                          as the command of an MCP server in the settings of an agent",
    "wms2 mcp --read-only",
    "wms2 --server https://wms2.example.org --token-file ~/agent.token mcp",
  ],
  more: "Over HTTP the server has the same at /mcp. See docs/guides/mcp.md.",
  async run({ options }) {
    const [{ serveStdio }, { makeMcpServer }] = await Promise.all([
      import("@modelcontextprotocol/server/stdio"),
      import("../operations/mcp/server.ts"),
    ]);
    const reach = reachOf(options);
    const client = makeClient(reach);
    const port = {
      askAs: (agent: string) => askOver(client, agent),
      secret: () => reach().token ?? "",
      now: () => new Date(),
      readOnly: options.readOnly === true,
    };
    serveStdio(() => makeMcpServer(port), { onerror: ({ message }) => talk(`mcp: ${message}`) });
  },
});

const askOver =
  (client: Client, agent: string): Ask =>
  async (operation, input, how = {}) =>
    answered(await client.send(operation, input, askHeaders(agent, how)), how);
