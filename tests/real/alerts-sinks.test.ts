import { execFileSync } from "node:child_process";
import { chmodSync, existsSync, readFileSync, writeFileSync } from "node:fs";
import { createServer, type IncomingMessage } from "node:http";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { loadConfig } from "../../src/config/load.ts";
import { type AlertMessage, alertMessage } from "../../src/operations/upkeep/alerts/message.ts";
import { makeSinks } from "../../src/operations/upkeep/alerts/sink.ts";
import { type SmtpScript, SmtpServer } from "../support/smtp-server.ts";
import { tempDir } from "../support/temp-dir.ts";

const at = new Date("2026-01-02T03:04:05Z");
const message = (change: Partial<AlertMessage> = {}): AlertMessage => ({
  ...alertMessage(
    {
      id: "7",
      key: "held:muons",
      severity: "warning",
      subject: "muons",
      message: 'held: 3 of 10 units failed\n.with a dot, a quote " and $(touch /tmp/no)',
      count: 1,
      firstAt: at,
      lastAt: at,
      acknowledgedBy: null,
      acknowledgedAt: null,
      closedAt: null,
      revision: 1,
      lastChange: "opened",
    },
    "test",
    "http://wms2.example:8420/",
  ),
  ...change,
});

/** Through the settings, as the server gets them. */
function sinkOf(settings: Record<string, unknown>) {
  const { config } = loadConfig({
    environment: {},
    flags: { "alerts.sinks": [{ name: "s", timeout_sec: 5, ...settings }] },
  });
  const [sink] = makeSinks(config["alerts.sinks"], { now: () => at });
  if (!sink) throw new Error("no sink");
  return sink;
}

describe("webhook", () => {
  async function listener(answer: number | "never") {
    const got: { request: IncomingMessage; body: string }[] = [];
    const server = createServer(async (request, reply) => {
      let body = "";
      for await (const chunk of request) body += chunk;
      got.push({ request, body });
      if (answer !== "never") reply.writeHead(answer, { location: "http://127.0.0.1:1/" }).end("words of the server");
    });
    await new Promise<void>((resume) => server.listen(0, "127.0.0.1", resume));
    onTestFinished(() => {
      server.closeAllConnections();
      server.close();
    });
    const address = server.address();
    const port = typeof address === "object" && address ? address.port : 0;
    return { url: `http://127.0.0.1:${port}/hook/verysecret`, got };
  }

  it("posts the alert as JSON, with its token", async () => {
    const { url, got } = await listener(204);
    const dir = tempDir("sink");
    writeFileSync(join(dir, "token"), "t0ken\n");
    writeFileSync(join(dir, "url"), `${url}\n`);
    await sinkOf({ kind: "webhook", url_file: join(dir, "url"), token_file: join(dir, "token") }).tell(message());
    expect(got[0]?.request.method).toBe("POST");
    expect(got[0]?.request.headers).toMatchObject({
      "content-type": "application/json",
      authorization: "Bearer t0ken",
      "idempotency-key": "test-7-1",
    });
    const { text, url: page } = message();
    expect(JSON.parse(got[0]?.body ?? "")).toEqual({ ...message(), text: `${text} ${page}` });
  });

  it("is refused, redirected, late or away: says so without the address", async () => {
    const tell = async (answer: number | "never") =>
      sinkOf({ kind: "webhook", url: (await listener(answer)).url, timeout_sec: 0.3 })
        .tell(message())
        .then(String, String);
    expect(await tell(500)).toMatch(/answered 500: words of the server/);
    for (const words of [await tell(302), await tell("never")]) {
      expect(words).toMatch(/127\.0\.0\.1:\d+ did not take it/);
      expect(words).not.toContain("verysecret");
    }
    const away = sinkOf({ kind: "webhook", url: "http://127.0.0.1:64999/verysecret" }).tell(message());
    await expect(away).rejects.toThrow(/did not take it: .*ECONNREFUSED/);
  });
});

describe("command", () => {
  const script = (text: string) => {
    const path = join(tempDir("sink"), "tell");
    writeFileSync(path, `#!/bin/sh\n${text}\n`);
    chmodSync(path, 0o755);
    return path;
  };

  it("gets the alert on stdin and in its environment, and no shell reads it", async () => {
    const out = join(tempDir("sink"), "out");
    const program = script(`cat >"$1"; printf '%s|%s|%s' "$WMS2_ALERT_SUBJECT" "$WMS2_ALERT_MESSAGE" "$2" >"$1.env"`);
    await sinkOf({ kind: "command", argv: [program, out, "$(id); x"] }).tell(message());
    expect(JSON.parse(readFileSync(out, "utf8"))).toEqual(message());
    expect(readFileSync(`${out}.env`, "utf8")).toBe(`muons|${message().message}|$(id); x`);
    expect(existsSync("/tmp/no")).toBe(false);
  });

  it("tells how it failed", async () => {
    const tell = (argv: string[]) => sinkOf({ kind: "command", argv, timeout_sec: 0.5 }).tell(message());
    await expect(tell([script("echo 'no modem' >&2; exit 3")])).rejects.toThrow("ended with 3: no modem");
    await expect(tell([script("kill -9 $$")])).rejects.toThrow("was ended by SIGKILL");
    await expect(tell(["/no/such/program"])).rejects.toThrow("cannot be started");
  });

  it("is ended with all it started when its time is over", async () => {
    const pidFile = join(tempDir("sink"), "pid");
    const program = script(`sleep 60 & echo $! >${pidFile}; wait`);
    const late = sinkOf({ kind: "command", argv: [program], timeout_sec: 0.5 }).tell(message());
    await expect(late).rejects.toThrow("took longer than 0.5 s");
    const stat = `/proc/${readFileSync(pidFile, "utf8").trim()}/stat`;
    await new Promise((resume) => setTimeout(resume, 100));
    expect(existsSync(stat) && !readFileSync(stat, "utf8").includes(") Z ")).toBe(false);
  });

  it("may leave without reading", async () => {
    const long = message({ message: "x".repeat(1_000_000) });
    await sinkOf({ kind: "command", argv: ["/bin/true"] }).tell(long);
  });
});

describe("mail", () => {
  const server = async (script: SmtpScript = {}) => {
    const made = new SmtpServer(script);
    onTestFinished(() => made.close());
    return { made, port: await made.listen() };
  };
  const mail = (port: number, more: Record<string, unknown> = {}) =>
    sinkOf({
      kind: "smtp",
      host: "127.0.0.1",
      port,
      tls: "none",
      from: "wms2@example.org",
      to: ["ada@example.org", "bob@example.org"],
      ...more,
    });

  it("arrives whole, to everybody, with lines that begin with a dot", async () => {
    const { made, port } = await server();
    await mail(port).tell(message());
    const [got] = made.mails;
    expect(got).toMatchObject({ from: "wms2@example.org", to: ["ada@example.org", "bob@example.org"] });
    expect(got?.lines).toContain('.with a dot, a quote " and $(touch /tmp/no)');
    expect(got?.lines).toContain("X-WMS2-Alert: held:muons");
    expect(got?.lines.find((line) => line.startsWith("Subject: "))).toContain("=?UTF-8?Q?=5Bwms2=5D_WARNING_muons");
  });

  it("of later changes are in the same thread", async () => {
    const { made, port } = await server();
    await mail(port).tell(message({ revision: 3 }));
    expect(made.mails[0]?.lines).toEqual(
      expect.arrayContaining(["Message-ID: <wms2-alert-7-3.test>", "In-Reply-To: <wms2-alert-7-1.test>"]),
    );
  });

  it("goes over TLS with a password, and never without", async () => {
    const dir = tempDir("sink");
    const [key, cert] = certificate(dir);
    writeFileSync(join(dir, "password"), "secret\n");
    const who = { user: "ada", password_file: join(dir, "password") };
    const { made, port } = await server({ tls: { key, cert }, auth: true });
    const safe = { tls: "starttls", host: "localhost", ca_file: join(dir, "cert.pem"), ...who };
    await mail(port, safe).tell(message());
    expect(made.mails[0]).toMatchObject({ secure: true, auth: "\0ada\0secret" });

    const { made: other, port: otherPort } = await server({ tls: { key, cert }, auth: true, implicit: true });
    await mail(otherPort, { ...safe, tls: "implicit" }).tell(message());
    expect(other.mails[0]).toMatchObject({ secure: true, auth: "\0ada\0secret" });
    const bare = sinkOf({
      kind: "smtp",
      host: "mail.example.org",
      tls: "none",
      from: "a@b.org",
      to: ["c@d.org"],
      ...who,
    });
    await expect(bare.tell(message())).rejects.toThrow("a password is not sent without TLS");

    // Nobody vouches for this certificate.
    await expect(mail(port, { ...safe, ca_file: undefined }).tell(message())).rejects.toThrow();
    const plain = await server({ auth: true });
    await expect(mail(plain.port, safe).tell(message())).rejects.toThrow("answered 500 to STARTTLS");
    expect(plain.made.heard.join()).not.toContain("AUTH");

    writeFileSync(join(dir, "password"), "wrong\n");
    const wrong = await mail(port, safe).tell(message()).then(String, String);
    expect(wrong).toContain("answered 535 to AUTH PLAIN");
    expect(wrong).not.toContain(Buffer.from("\0ada\0wrong").toString("base64"));
  });

  it("is taken for all or for none", async () => {
    for (const pipelining of [false, true]) {
      const { made, port } = await server({ refuse: ["bob@example.org"], pipelining });
      await expect(mail(port).tell(message())).rejects.toThrow("answered 550 to RCPT TO:<bob@example.org>");
      expect(made.mails).toEqual([]);
    }
  });

  it("fails in time when the server is mute, away, or goes away", async () => {
    const mute = await server({ mute: true });
    await expect(mail(mute.port, { timeout_sec: 0.3 }).tell(message())).rejects.toThrow();
    const dying = await server({ dieOn: "DATA" });
    const words = await mail(dying.port)
      .tell(message())
      .then(String, (error: Error) => String(error.cause));
    expect(words).toContain("Connection closed");
    await expect(mail(1).tell(message())).rejects.toThrow("127.0.0.1:1");
  });
});

function certificate(dir: string): [string, string] {
  const [key, cert] = [join(dir, "key.pem"), join(dir, "cert.pem")];
  const words = `req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 2 -subj /CN=localhost -addext subjectAltName=DNS:localhost -keyout ${key} -out ${cert}`;
  execFileSync("openssl", words.split(" "), { stdio: "ignore" });
  return [readFileSync(key, "utf8"), readFileSync(cert, "utf8")];
}

describe("settings", () => {
  it.each([
    ["a webhook without an address", { kind: "webhook" }, "needs one of url and url_file"],
    [
      "mail with a user and no password",
      { kind: "smtp", host: "h", from: "a@b", to: ["c@d"], user: "u" },
      "go together",
    ],
    [
      "an address with more in it",
      { kind: "smtp", host: "h", from: "a@b>\r\nX: y", to: ["c@d"] },
      "plain mail address",
    ],
    ["a kind there is not", { kind: "pigeon" }, "kind"],
  ])("%s is refused", (_, settings, words) => {
    expect(() => sinkOf(settings)).toThrow(words);
  });
});
