import { randomUUID } from "node:crypto";
import type { Clock } from "../../core/base/clock.ts";
import { describeError, WorldError } from "../../core/base/errors.ts";
import type { Log } from "../../core/base/log.ts";
import { CRIC_RULES } from "./cric/answers.ts";
import { makeCric, whoAmI } from "./cric/cric.ts";
import { DBS_RULES } from "./dbs/answers.ts";
import { makeDbs } from "./dbs/dbs.ts";
import { health } from "./dbs/questions.ts";
import { checkCertificate } from "./http/check-certificate.ts";
import type { Wait } from "./http/pace.ts";
import { type CallMetrics, HttpService, type HttpWorld } from "./http/service.ts";
import { makeTrust, type TrustFiles } from "./http/trust.ts";
import { REQMGR2_RULES } from "./reqmgr2/answers.ts";
import { about } from "./reqmgr2/questions.ts";
import { makeReqMgr2 } from "./reqmgr2/reqmgr2.ts";
import { RUCIO_RULES } from "./rucio/answers.ts";
import { ping } from "./rucio/questions.ts";
import { makeRucio } from "./rucio/rucio.ts";
import { makeRucioToken } from "./rucio/token.ts";
import type { CmsServices } from "./services.ts";

/** Where the services are, who we are there, and how long we wait for them. */
export interface CmsOptions extends TrustFiles {
  readonly reqmgr2Url: string;
  readonly configCacheUrl: string;
  readonly dbsReaderUrl: string;
  readonly dbsWriterUrl: string;
  readonly rucioUrl: string;
  readonly rucioAuthUrl: string;
  readonly rucioAccount: string;
  readonly cricUrl: string;
  readonly connectTimeoutSec: number;
  readonly answerTimeoutSec: number;
  readonly silenceTimeoutSec: number;
  readonly peaceSec: number;
}

export interface CmsPorts {
  readonly clock: Clock;
  readonly log: Log;
  readonly metrics: CallMetrics;
  /** Default: as long as it says. */
  readonly wait?: Wait;
  readonly random?: () => number;
}

const sleep: Wait = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

export function makeCmsServices(options: CmsOptions, ports: CmsPorts): CmsServices {
  const { clock } = ports;
  const trust = makeTrust(options, options.connectTimeoutSec);
  const world: HttpWorld = {
    wait: sleep,
    random: Math.random,
    ...ports,
    trust,
    patience: {
      answerSec: options.answerTimeoutSec,
      silenceSec: options.silenceTimeoutSec,
      peaceSec: options.peaceSec,
    },
    newId: randomUUID,
  };
  const [reqmgr2, dbs, cric] = [REQMGR2_RULES, DBS_RULES, CRIC_RULES].map((rules) => new HttpService(rules, world)) as [
    HttpService,
    HttpService,
    HttpService,
  ];
  // The host that gives tokens is another one: it has a breaker of its own.
  const auth = new HttpService(RUCIO_RULES, world);
  const token = makeRucioToken(auth, options.rucioAuthUrl, options.rucioAccount, clock);
  const rucio = new HttpService(RUCIO_RULES, world, token);
  const base = (url: string): string => url.replace(/\/+$/, "");
  const [dbsReader, dbsWriter] = [base(options.dbsReaderUrl), base(options.dbsWriterUrl)];
  const [rucioUrl, cricUrl, reqmgr2Url] = [base(options.rucioUrl), base(options.cricUrl), base(options.reqmgr2Url)];

  return {
    reqmgr2: makeReqMgr2(reqmgr2, { url: reqmgr2Url, configCacheUrl: base(options.configCacheUrl) }),
    dbs: makeDbs(dbs, { readerUrl: dbsReader, writerUrl: dbsWriter }),
    rucio: makeRucio(rucio, { url: rucioUrl, account: options.rucioAccount }, clock),
    cric: makeCric(cric, cricUrl),
    async ping() {
      const [ofReqmgr2, ofDbs, ofRucio, ofCric] = await Promise.all([
        trouble(() => reqmgr2.probe(about(reqmgr2Url))),
        trouble(async () => {
          await dbs.probe(health(dbsReader));
          if (dbsWriter !== dbsReader) await dbs.probe(health(dbsWriter));
        }),
        // It goes with a token: the host that gives them is asked too when the last one is old.
        trouble(() => rucio.probe(ping(rucioUrl))),
        trouble(() => cric.probe(whoAmI(cricUrl))),
      ]);
      return { reqmgr2: ofReqmgr2, dbs: ofDbs, rucio: ofRucio, cric: ofCric };
    },
    identity: () => checkCertificate(options, clock.now()),
    close: () => trust.close(),
  };
}

/** Any answer is an answer, a refusal too; what is wrong is told with what to try. */
const trouble = (ask: () => Promise<unknown>): Promise<string | null> =>
  ask().then(
    () => null,
    (error: unknown) => (error instanceof WorldError ? `${error.message}; ${error.hint}` : describeError(error)),
  );
