import type { NodeState } from "../../domain/run.ts";

/**
 * The file behind NODE_STATUS_FILE (HTCondor 23.9.6): one DagStatus ad, one NodeStatus ad per node, one
 * StatusEnd ad. DAGMan writes a temporary file and renames it, so a file without StatusEnd was cut by
 * somebody else (a full disk, a copy): it is `complete: false` and must not be believed.
 *
 * This is a scanner of its own and not the ClassAd parser because the files are rewritten all the time and grow
 * with the DAG (17 MB for 100,000 nodes): it makes one pass over the character codes and allocates two strings
 * per node at most.
 */
export interface StatusFile {
  readonly timestamp: number;
  readonly dagStatus: number;
  readonly nodesTotal: number;
  readonly nodes: readonly StatusNode[];
  readonly jobProcsHeld: number;
  /** 0: this is the last one of the run. */
  readonly nextUpdate: number;
  readonly complete: boolean;
}
export interface StatusNode {
  readonly name: string;
  readonly state: NodeState;
  readonly detail: string;
  readonly retries: number;
  readonly queued: number;
  readonly held: number;
}

const STATES: readonly NodeState[] = ["waiting", "ready", "pre", "queued", "post", "done", "failed", "futile"];

/**
 * After condor_rm every node that was in the queue, in a script or ready is written as ERROR with these words (23.9.6).
 * It did not fail: it had no chance to.
 */
export const wasCutShort = (node: StatusNode): boolean =>
  node.state === "failed" && node.detail.startsWith("Was STATUS_");

const QUOTE = 34;
const SLASH = 47;
const EQUALS = 61;
const OPEN = 91;
const BACKSLASH = 92;
const CLOSE = 93;
const LIST = 123;

// charCodeAt past the end is NaN, for which every comparison below is false: the loops need no other bound.
function skipBlank(text: string, at: number): number {
  while (text.charCodeAt(at) <= 32) at++;
  return at;
}
function endOfKey(text: string, at: number): number {
  for (let code = text.charCodeAt(at); code > 32 && code !== EQUALS; code = text.charCodeAt(at)) at++;
  return at;
}
function endOfString(text: string, at: number): number {
  const length = text.length;
  for (; at < length; at++) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) return at;
    if (code === BACKSLASH) at++;
  }
  return length;
}
function unescaped(text: string, from: number, to: number): string {
  const raw = text.slice(from, to);
  return raw.includes("\\") ? raw.replace(/\\(.)/g, "$1") : raw;
}
/** Behind a value: `;` and perhaps a comment, to the end of the line or the end of the ad. */
function endOfRest(text: string, at: number): number {
  for (
    let code = text.charCodeAt(at);
    code !== 10 && code !== CLOSE && at < text.length;
    code = text.charCodeAt(++at)
  ) {
    if (code !== SLASH) continue;
    const end = text.indexOf("\n", at);
    return end < 0 ? text.length : end;
  }
  return at;
}

/** The ad being read; one object for all of them. */
class Fields {
  /** The first letter of the type: D(agStatus), N(odeStatus), S(tatusEnd); 0: none. */
  type = 0;
  node = "";
  detail = "";
  status = 0;
  retries = 0;
  queued = 0;
  held = 0;
  total = 0;
  timestamp = 0;
  dagStatus = 0;
  nextUpdate = 0;

  clear(): void {
    this.type = 0;
    this.node = this.detail = "";
    this.status = this.retries = this.queued = this.held = 0;
    this.total = this.timestamp = this.dagStatus = this.nextUpdate = 0;
  }

  setText(text: string, key: number, keyLength: number, from: number, to: number): void {
    if (keyLength === 4) {
      if (text.charCodeAt(key) === 84) this.type = text.charCodeAt(from);
      else this.node = unescaped(text, from, to);
    } else if (keyLength === 13 && to > from) this.detail = unescaped(text, from, to); // StatusDetails
  }

  /** Keys are told apart by length and a letter: making strings of them would cost more than all the rest. */
  setNumber(text: string, key: number, keyLength: number, value: number): void {
    const initial = text.charCodeAt(key);
    if (initial === 78 && keyLength === 10) {
      if (text.charCodeAt(key + 1) === 101) this.nextUpdate = value;
      else if (text.charCodeAt(key + 4) === 83)
        this.status = value; // NodeStatus
      else if (text.charCodeAt(key + 5) === 84) this.total = value; // NodesTotal, not NodesReady
    } else if (initial === 82 && keyLength === 10) this.retries = value;
    else if (initial === 74 && keyLength === 14) this.queued = value;
    else if (initial === 74 && keyLength === 12) {
      if (text.charCodeAt(key + 8) === 72) this.held = value; // JobProcsHeld, not JobProcsIdle
    } else if (initial === 84 && keyLength === 9) this.timestamp = value;
    else if (initial === 68 && keyLength === 9) this.dagStatus = value;
  }
}

export function parseStatusFile(text: string): StatusFile {
  const nodes: StatusNode[] = [];
  const dag = { timestamp: 0, dagStatus: 0, nodesTotal: 0, jobProcsHeld: 0 };
  let nextUpdate = 0;
  let [sawDag, sawEnd, inAd] = [false, false, false];
  const ad = new Fields();

  // One turn per line: `[`, `]` or `Key = value; comment`.
  for (let at = skipBlank(text, 0); at < text.length; at = skipBlank(text, at)) {
    const code = text.charCodeAt(at);
    if (code === OPEN) {
      ad.clear();
      inAd = true;
      at++;
      continue;
    }
    if (code === CLOSE) {
      if (inAd && ad.type === 78) nodes.push(nodeOf(ad));
      else if (inAd && ad.type === 68) {
        sawDag = true;
        dag.timestamp = ad.timestamp;
        dag.dagStatus = ad.dagStatus;
        dag.nodesTotal = ad.total;
        dag.jobProcsHeld = ad.held;
      } else if (inAd && ad.type === 83) {
        sawEnd = true;
        nextUpdate = ad.nextUpdate;
      }
      inAd = false;
      at++;
      continue;
    }
    const key = at;
    at = endOfKey(text, at);
    const keyLength = at - key;
    at = skipBlank(text, at);
    if (text.charCodeAt(at) === EQUALS) at = skipBlank(text, at + 1);
    const first = text.charCodeAt(at);
    if (first === QUOTE) {
      const end = endOfString(text, at + 1);
      if (end >= text.length) break; // cut within a string: this ad is lost
      ad.setText(text, key, keyLength, at + 1, end);
      at = end + 1;
    } else if (first === LIST) {
      const end = text.indexOf("}", at);
      at = end < 0 ? text.length : end + 1;
    } else {
      let value = 0;
      for (let digit = first; digit >= 48 && digit <= 57; digit = text.charCodeAt(++at))
        value = value * 10 + digit - 48;
      ad.setNumber(text, key, keyLength, value);
    }
    at = endOfRest(text, at);
  }
  return { ...dag, nodes, nextUpdate, complete: sawDag && sawEnd && nodes.length === dag.nodesTotal };
}

const nodeOf = (ad: Fields): StatusNode => ({
  name: ad.node,
  state: STATES[ad.status] ?? "waiting",
  detail: ad.detail,
  retries: ad.retries,
  queued: ad.queued,
  held: ad.held,
});
