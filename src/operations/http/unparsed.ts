import { type ServerResponse, STATUS_CODES } from "node:http";
import type { Socket } from "node:net";
import { problem } from "./problem.ts";

/** What Node says about bytes that are no request, as a problem for whoever sent them. */
const MESSAGES: Readonly<Record<string, readonly [status: number, message: string]>> = {
  ERR_HTTP_REQUEST_TIMEOUT: [408, "the request did not arrive in time"],
  HPE_HEADER_OVERFLOW: [431, "the address and headers are larger than 16 kB"],
};

/** Answers where no route can: there is no request yet, only a connection, which ends with this. */
export function answerUnparsed(error: NodeJS.ErrnoException, socket: Socket): void {
  if (error.code === "ECONNRESET" || socket.destroyed) return;
  const [status, message] = MESSAGES[error.code ?? ""] ?? [400, "this is not a request in HTTP"];
  const body = JSON.stringify(problem("bad-usage", message, { status, hint: "see /docs for what is allowed" }));
  if (socket.writable)
    socket.write(
      `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\nContent-Type: application/problem+json\r\n` +
        `Content-Length: ${Buffer.byteLength(body)}\r\nConnection: close\r\n\r\n${body}`,
    );
  socket.destroy(error);
}

/** `Expect:` anything but 100-continue. */
export function answerExpectation(_request: unknown, response: ServerResponse): void {
  const view = problem("bad-usage", "this server knows no such expectation", { status: 417, hint: "leave out Expect" });
  response.statusCode = 417;
  response.setHeader("content-type", "application/problem+json");
  response.end(JSON.stringify(view));
}
