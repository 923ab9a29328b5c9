import { connect as connectPlain, type Socket } from "node:net";
import { connect as connectTls } from "node:tls";
import { dotStuffed } from "./mail-text.ts";

/** The little of SMTP that an alert needs (RFC 5321, 3207, 4954): one mail, one connection, everything or nothing. */
export interface SmtpOptions {
  readonly host: string;
  readonly port: number;
  readonly tls: "none" | "starttls" | "implicit";
  readonly ca?: string | undefined;
  readonly auth: { readonly user: string; readonly password: string } | null;
  readonly timeoutMs: number;
  /** How we call ourselves. */
  readonly helo: string;
}

interface Reply {
  readonly code: number;
  readonly lines: readonly string[];
}

/**
 * Either the server took the mail for every recipient or this throws and it took it for none: a refused address ends the
 * session before the text is sent, so a later try repeats nothing.
 */
export async function sendMail(
  options: SmtpOptions,
  envelope: { readonly from: string; readonly to: readonly string[] },
  text: string,
): Promise<void> {
  const session = new Session(options);
  try {
    await session.open();
    session.expect(await session.read(), [220], "the greeting");
    let offers = await hello(session, options.helo);
    if (options.tls === "starttls") {
      if (!offers.has("STARTTLS")) throw new Error("the server does not offer STARTTLS");
      await session.say("STARTTLS", [220]);
      await session.secure();
      offers = await hello(session, options.helo);
    }
    if (options.auth) await authenticate(session, offers, options);
    await session.say(`MAIL FROM:<${envelope.from}>`, [250]);
    for (const to of envelope.to) await session.say(`RCPT TO:<${to}>`, [250, 251]);
    await session.say("DATA", [354]);
    await session.say(`${dotStuffed(text)}\r\n.`, [250], "the mail");
    session.write("QUIT\r\n"); // it has the mail: what it says to this does not matter
  } finally {
    session.close();
  }
}

/** What it offers, by keyword; an old server that knows only HELO offers nothing. */
async function hello(session: Session, name: string): Promise<ReadonlyMap<string, string>> {
  const reply = await session.ask(`EHLO ${name}`);
  if (reply.code === 250) {
    return new Map(
      reply.lines.slice(1).map((line) => {
        const [word = "", ...rest] = line.split(/[ =]/);
        return [word.toUpperCase(), rest.join(" ").toUpperCase()];
      }),
    );
  }
  await session.say(`HELO ${name}`, [250]);
  return new Map();
}

async function authenticate(
  session: Session,
  offers: ReadonlyMap<string, string>,
  options: SmtpOptions,
): Promise<void> {
  const loopback = ["localhost", "127.0.0.1", "::1"].includes(options.host);
  if (options.tls === "none" && !loopback) throw new Error("a password is not sent without TLS");
  if (!offers.get("AUTH")?.split(" ").includes("PLAIN")) throw new Error("the server does not offer AUTH PLAIN");
  const { user, password } = options.auth ?? { user: "", password: "" };
  const word = Buffer.from(`\0${user}\0${password}`).toString("base64");
  await session.say(`AUTH PLAIN ${word}`, [235], "AUTH PLAIN");
}

const LONGEST_REPLY = 64 * 1024;
const LINGER_MS = 1000;

/** One connection: says a line, reads a whole reply. All waiting ends when the time is over or the server goes away. */
class Session {
  readonly #options: SmtpOptions;
  #socket: Socket | null = null;
  #text = "";
  #failure: Error | null = null;
  #wake: () => void = () => {};
  readonly #timer: NodeJS.Timeout;

  constructor(options: SmtpOptions) {
    this.#options = options;
    this.#timer = setTimeout(
      () => this.#fail(new Error(`no answer within ${options.timeoutMs / 1000} s`)),
      options.timeoutMs,
    );
  }

  open(): Promise<void> {
    const { host, port, tls, ca } = this.#options;
    return tls === "implicit"
      ? this.#use(connectTls({ host, port, servername: nameOf(host), ca }), "secureConnect")
      : this.#use(connectPlain({ host, port }), "connect");
  }

  /** What the server said before TLS counts for nothing: it may have been somebody else. */
  secure(): Promise<void> {
    const plain = this.#socket as Socket;
    plain.removeAllListeners("data");
    this.#text = "";
    const { host, ca } = this.#options;
    return this.#use(connectTls({ socket: plain, servername: nameOf(host), ca }), "secureConnect");
  }

  #use(socket: Socket, ready: "connect" | "secureConnect"): Promise<void> {
    this.#socket = socket;
    let isReady = false;
    socket.on("data", (data) => {
      this.#text += data.toString("latin1");
      if (this.#text.length > LONGEST_REPLY) this.#fail(new Error("its reply does not end"));
      this.#wake();
    });
    socket.on("error", (error) => this.#fail(error));
    socket.on("close", () => this.#fail(new Error("the server closed the connection")));
    socket.once(ready, () => {
      isReady = true;
      this.#wake();
    });
    return this.#until(() => (isReady ? true : null)).then(() => {});
  }

  #fail(error: Error): void {
    this.#failure ??= error;
    this.#wake();
  }

  async #until<T>(found: () => T | null): Promise<T> {
    for (;;) {
      const value = found();
      if (value !== null) return value;
      if (this.#failure) throw new Error(`${this.#options.host}:${this.#options.port}`, { cause: this.#failure });
      await new Promise<void>((resume) => {
        this.#wake = resume;
      });
    }
  }

  read(): Promise<Reply> {
    return this.#until(() => {
      const match = /^(?:\d{3}-.*\r?\n)*\d{3}(?: .*)?\r?\n/.exec(this.#text);
      if (!match) return null;
      this.#text = this.#text.slice(match[0].length);
      const lines = match[0].trimEnd().split(/\r?\n/);
      return { code: Number(match[0].slice(0, 3)), lines: lines.map((line) => line.slice(4)) };
    });
  }

  write(text: string): void {
    this.#socket?.write(text);
  }

  ask(line: string): Promise<Reply> {
    this.write(`${line}\r\n`);
    return this.read();
  }

  /** `named` stands in an error for what must not be repeated there. */
  async say(line: string, codes: readonly number[], named = line): Promise<void> {
    this.expect(await this.ask(line), codes, named);
  }

  expect({ code, lines }: Reply, codes: readonly number[], named: string): void {
    if (codes.includes(code)) return;
    throw new Error(`${this.#options.host} answered ${code} to ${named}: ${lines.join(" ").slice(0, 200)}`);
  }

  close(): void {
    clearTimeout(this.#timer);
    const socket = this.#socket;
    if (this.#failure) return void socket?.destroy();
    socket?.end();
    setTimeout(() => socket?.destroy(), LINGER_MS).unref();
  }
}

/** SNI takes names, not addresses. */
const nameOf = (host: string): string => (/^[\d.]+$|:/.test(host) ? "" : host);
