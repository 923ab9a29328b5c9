import { X509Certificate } from "node:crypto";
import { readFile, stat } from "node:fs/promises";
import { createSecureContext } from "node:tls";
import type { Agent } from "undici";

export interface TrustFiles {
  /** Certificate and key in one file, as proxies come; instead of the two below. */
  readonly proxyFile: string | null;
  readonly certFile: string | null;
  readonly keyFile: string | null;
  /** Null: the authorities this machine trusts anyway. */
  readonly caFile: string | null;
}

/** Who we are to the services, and whom we believe. */
export interface Trust {
  /** Connections by the files as they are now. Throws when they cannot be used. */
  agent(): Promise<Agent>;
  /** Until when our certificate holds; null: nothing was read yet. */
  expiresAt(): Date | null;
  /** Where our certificate comes from. */
  readonly file: string;
  close(): Promise<void>;
}

export const certificateFile = ({ proxyFile, certFile }: TrustFiles): string => proxyFile ?? certFile ?? "no file";

/**
 * Files are looked at before every call, so a renewed proxy is used from the next call on. Calls under way keep the
 * connection they have. A file that is being written and does not fit its key fails the call; the next one reads again.
 */
export function makeTrust(files: TrustFiles, connectTimeoutSec: number): Trust {
  let current: { readonly seen: string; readonly agent: Agent; readonly expiresAt: Date } | null = null;
  let loading: Promise<Agent> | null = null;

  const load = async (): Promise<Agent> => {
    const seen = await fingerprint(files);
    if (current?.seen === seen) return current.agent;
    const { cert, key, ca } = await readTrust(files);
    createSecureContext({ cert, key, ca });
    // A tenth of the time that a command needs to begin, and few have such services.
    const { Agent } = await import("undici");
    const agent = new Agent({ connect: { cert, key, ca, timeout: connectTimeoutSec * 1000 }, pipelining: 1 });
    void current?.agent.close();
    current = { seen, agent, expiresAt: new Date(new X509Certificate(cert).validTo) };
    return agent;
  };

  return {
    agent: () => {
      loading ??= load().finally(() => {
        loading = null;
      });
      return loading;
    },
    expiresAt: () => current?.expiresAt ?? null,
    file: certificateFile(files),
    close: async () => {
      await current?.agent.destroy();
      current = null;
    },
  };
}

/** Throws what the system says of a file that cannot be read. */
export async function readTrust({ proxyFile, certFile, keyFile, caFile }: TrustFiles) {
  const text = async (path: string | null): Promise<string> => (path === null ? "" : readFile(path, "utf8"));
  return {
    cert: await text(proxyFile ?? certFile),
    key: await text(proxyFile ?? keyFile),
    ca: caFile === null ? undefined : await text(caFile),
  };
}

async function fingerprint({ proxyFile, certFile, keyFile, caFile }: TrustFiles): Promise<string> {
  const paths = [...(proxyFile === null ? [certFile, keyFile] : [proxyFile]), caFile].filter((path) => path !== null);
  const seen = paths.map(async (path) => {
    const { mtimeMs, size, ino } = await stat(path);
    return `${path} ${mtimeMs} ${size} ${ino}`;
  });
  return (await Promise.all(seen)).join("\n");
}
