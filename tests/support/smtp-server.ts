import { createServer, type Server, type Socket } from "node:net";
import { TLSSocket } from "node:tls";

export interface ReceivedMail {
  readonly from: string;
  readonly to: readonly string[];
  readonly lines: readonly string[];
  readonly secure: boolean;
  readonly auth: string | null;
}

export interface SmtpScript {
  readonly tls?: { readonly key: string; readonly cert: string };
  /** TLS from the first byte, instead of STARTTLS. */
  readonly implicit?: boolean;
  readonly auth?: boolean;
  /** Takes several commands at once. */
  readonly pipelining?: boolean;
  /** Refuses these recipients. */
  readonly refuse?: readonly string[];
  /** Says nothing at all. */
  readonly mute?: boolean;
  /** Goes away when it hears this. */
  readonly dieOn?: string;
}

/** An SMTP server as small as a test needs; strict about what it is told. */
export class SmtpServer {
  readonly mails: ReceivedMail[] = [];
  readonly heard: string[] = [];
  readonly #script: SmtpScript;
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();

  constructor(script: SmtpScript = {}) {
    this.#script = script;
    this.#server = createServer((plain) => {
      this.#sockets.add(plain);
      plain.on("error", () => {});
      if (script.mute) return;
      const socket = script.implicit ? new TLSSocket(plain, { isServer: true, ...script.tls }) : plain;
      socket.on("error", () => {});
      socket.write("220-welcome\r\n220 test ESMTP\r\n");
      this.#serve(socket, script.implicit === true);
    });
  }

  async listen(): Promise<number> {
    await new Promise<void>((resume) => this.#server.listen(0, "127.0.0.1", resume));
    const address = this.#server.address();
    return typeof address === "object" && address ? address.port : 0;
  }

  close(): void {
    this.#server.close();
    for (const socket of this.#sockets) socket.destroy();
  }

  #serve(socket: Socket, secure: boolean): void {
    let text = "";
    let from = "";
    let to: string[] = [];
    let data: string[] | null = null;
    let auth: string | null = null;
    const { tls, refuse = [], dieOn } = this.#script;
    const say = (...lines: string[]) => socket.write(lines.map((line) => `${line}\r\n`).join(""));
    const command = (line: string) => {
      this.heard.push(line);
      if (dieOn && line.startsWith(dieOn)) return socket.destroy();
      if (line.startsWith("EHLO ")) {
        const offers = [...(tls && !secure ? ["STARTTLS"] : []), ...(this.#script.auth ? ["AUTH LOGIN PLAIN"] : [])];
        const all = ["test", "8BITMIME", ...(this.#script.pipelining ? ["PIPELINING"] : []), ...offers];
        return say(...all.map((offer, at) => `250${at === all.length - 1 ? " " : "-"}${offer}`));
      }
      if (line === "STARTTLS" && tls) {
        say("220 go on");
        socket.removeAllListeners("data");
        const secured = new TLSSocket(socket, { isServer: true, ...tls });
        secured.on("error", () => {});
        return this.#serve(secured, true);
      }
      if (line.startsWith("AUTH PLAIN ")) {
        auth = Buffer.from(line.slice(11), "base64").toString();
        return say(auth === "\0ada\0secret" ? "235 welcome" : "535 no");
      }
      const address = /^(MAIL FROM|RCPT TO):<([^>]*)>$/.exec(line);
      if (address?.[1] === "MAIL FROM") {
        [from, to] = [address[2] ?? "", []];
        return say("250 ok");
      }
      if (address) {
        if (refuse.includes(address[2] ?? "")) return say("550 no such user");
        to.push(address[2] ?? "");
        return say("250 ok");
      }
      if (line === "DATA" && to.length > 0) {
        data = [];
        return say("354 go on");
      }
      if (line === "QUIT") {
        say("221 bye");
        return socket.end();
      }
      return say("500 what?");
    };
    socket.on("data", (chunk) => {
      text += chunk.toString("latin1");
      for (let end = text.indexOf("\r\n"); end >= 0; end = text.indexOf("\r\n")) {
        const line = text.slice(0, end);
        text = text.slice(end + 2);
        if (data === null) command(line);
        else if (line === ".") {
          this.mails.push({ from, to, lines: data, secure, auth });
          data = null;
          say("250 taken");
        } else data.push(line.startsWith(".") ? line.slice(1) : line);
      }
    });
  }
}
