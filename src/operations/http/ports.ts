import type { FastifyBaseLogger } from "fastify";
import type { Clock } from "../../core/base/clock.ts";
import type { Engine } from "../../engines/port.ts";
import type { Kinds } from "../../kinds/kind.ts";
import type { Store } from "../../store/port.ts";
import type { Commands, LoopStatus } from "../handlers/port.ts";
import type { EventBus } from "./event-bus.ts";
import type { EventStreams } from "./event-streams.ts";
import type { Metrics } from "./metrics.ts";
import type { Queries } from "./queries.ts";
import type { Sessions } from "./sessions.ts";
import type { Tokens } from "./tokens.ts";

/** Everything the API may ask. It decides nothing: it reads the store and hands commands to the lifecycle. */
export interface ApiPorts {
  readonly store: Store;
  readonly commands: Commands;
  readonly loop: { status(): Promise<LoopStatus> };
  readonly engine: Engine;
  readonly clock: Clock;
  readonly kinds: Kinds;
  readonly metrics: Metrics;
  readonly events: Pick<EventBus, "subscribe">;
  readonly info: ServerInfo;
  /** Tells a scenario in virtual time; throws WorldError for one with problems. */
  readonly simulate: (
    scenario: string,
    options: { readonly seed?: number | undefined; readonly signal: AbortSignal },
  ) => Promise<{ readonly ok: boolean; readonly text: string }>;
  /** Without one the API is silent. */
  readonly logger?: FastifyBaseLogger;
  /** On when the server listens elsewhere than on loopback: reading needs a token too. Default: off. */
  readonly requireAuthForReads?: boolean;
  /** The built pages of the desk; they may be missing. */
  readonly deskDir: string;
  /** What is shipped to be tried. */
  readonly examplesDir: string;
  readonly tuning?: ApiTuning;
}

/** What operations may use: queries to read, commands to change. */
export interface RunPorts
  extends Pick<ApiPorts, "commands" | "clock" | "kinds" | "info" | "simulate" | "examplesDir" | "requireAuthForReads"> {
  readonly queries: Queries;
  readonly tokens: Tokens;
  readonly sessions: Sessions;
  readonly streams: EventStreams;
}

interface ServerInfo {
  readonly version: string;
  /** Sent with every answer, so that a caller notices that another server answers. */
  readonly instance: string;
  readonly host: string;
  readonly startedAt: Date;
  readonly engine: string;
  readonly catalog: string;
  readonly store: "postgresql" | "embedded";
  readonly directories: { readonly dataDir: string; readonly spoolDir: string; readonly storageDir: string };
  /** What is unsafe about the way it runs. */
  readonly warnings: readonly { readonly what: string; readonly fix: string }[];
}

interface ApiTuning {
  /** Every answer is checked against its schema; for tests, as it is slow. Default: off. */
  readonly checkAnswers?: boolean;
  /** Time between comments on the event stream, so that proxies keep it open. Default: 15 s. */
  readonly heartbeatMs?: number;
  /** How long an answer that is the same for everybody serves others, unless something changes. Default: 1 s. */
  readonly keepMs?: number;
  /** The longest any answer may take before it is a 503. Default: 30 s. */
  readonly answerMs?: number;
  /** How long store and engine may take to answer a health or status question. Default: 2 s. */
  readonly probeMs?: number;
}
