import { SaxesParser, type SaxesTagPlain } from "saxes";
import { FjrMetrics, measuredBy, numberOf } from "./fjr-metrics.ts";
import type { StepError, StepOutput, StepReport } from "./step-report.ts";

/** A report that is missing, empty or cut short. */
const BAD_REPORT = 50115;
/** All inputs were skipped: nothing was read, whatever cmsRun returned. */
const NOTHING_READ = 8020;
/** cmsRun's own code for an exception, and the code of an error that names none. */
const EXCEPTION = 8001;
const NO_CODE = 99999;
const MAX_MESSAGE = 4000;

type Lumis = Map<number, Map<number, number | null>>;
interface FileSeen {
  readonly isInput: boolean;
  readonly text: Record<string, string>;
  readonly lumis: Lumis;
  run: number | null;
}

/**
 * Reads a FrameworkJobReport piece by piece, however large: most of one is lists of branches, which are passed over. Nothing in
 * it is an error of ours: what cannot be understood is left out, and a root that was never closed is reported as 50115.
 */
export class FjrReader {
  readonly #parser = new SaxesParser();
  readonly #metrics = new FjrMetrics();
  readonly #errors: StepError[] = [];
  readonly #outputs: StepOutput[] = [];
  readonly #skipped: string[] = [];
  readonly #lumisRead: Lumis = new Map();
  #eventsRead: number | null = null;
  #opened = 0;
  #depth = 0;
  #isClosed = false;
  #file: FileSeen | null = null;
  #summary = "";
  #text = "";
  #keepsText = false;
  #error: { code: number | null; type: string } | null = null;

  constructor() {
    this.#parser.on("error", () => {});
    this.#parser.on("opentag", (tag) => this.#open(tag));
    this.#parser.on("closetag", (tag) => this.#close(tag.name));
    const take = (text: string) => {
      if (this.#keepsText && this.#text.length < MAX_MESSAGE) this.#text += text;
    };
    this.#parser.on("text", take);
    this.#parser.on("cdata", take);
  }

  write(chunk: string): void {
    this.#parser.write(chunk);
  }

  end(): StepReport {
    this.#parser.close();
    const first = this.#errors.find(({ code }) => code !== NO_CODE) ?? this.#errors[0];
    const isUnread = this.#opened === 0 && this.#skipped.length > 0;
    const code = first?.code ?? (isUnread ? NOTHING_READ : 0);
    return {
      code: this.#isClosed ? code : BAD_REPORT,
      hint: !this.#isClosed && first ? first.code : null,
      errors: this.#errors,
      ...measuredBy(this.#metrics),
      eventsRead: this.#eventsRead,
      lumisRead: this.#lumisRead,
      outputs: this.#outputs,
      skippedFiles: this.#skipped,
    };
  }

  #open({ name, attributes }: SaxesTagPlain): void {
    this.#depth += 1;
    this.#keepsText = KEPT.has(name);
    if (this.#keepsText) this.#text = "";
    if (name === "InputFile" || name === "File")
      this.#file = { isInput: name === "InputFile", text: {}, lumis: new Map(), run: null };
    else if (name === "Run" && this.#file) this.#file.run = numberOf(attributes.ID);
    else if (name === "LumiSection") this.#addLumi(attributes);
    else if (name === "SkippedFile") this.#skipped.push(attributes.Lfn?.trim() || attributes.Pfn?.trim() || "");
    else if (name === "PerformanceSummary") this.#summary = attributes.Metric ?? "";
    else if (name === "Metric" && attributes.Name !== undefined && this.#summary !== "")
      this.#metrics.add(this.#summary, attributes.Name, attributes.Value ?? "");
    else if (name === "FrameworkError") this.#error = beginError(attributes);
  }

  #close(name: string): void {
    this.#depth -= 1;
    if (name === "FrameworkJobReport" && this.#depth === 0) this.#isClosed = true;
    else if (name === "PerformanceSummary") this.#summary = "";
    else if (name === "Run" && this.#file) this.#file.run = null;
    else if (name === "FrameworkError" && this.#error) {
      const { code, type } = this.#error;
      this.#errors.push({ code: code ?? NO_CODE, type, message: this.#text.trim() });
      this.#error = null;
    } else if ((name === "InputFile" || name === "File") && this.#file) this.#endFile(this.#file);
    // The first of a name counts: the names of the inputs of an output come later in it.
    else if (this.#file && this.#keepsText) this.#file.text[name] ??= this.#text.trim();
    this.#keepsText = false;
  }

  #addLumi(attributes: Record<string, string>): void {
    const lumi = numberOf(attributes.ID);
    const file = this.#file;
    if (!file || file.run === null || lumi === null) return;
    note(file.lumis, file.run, lumi, numberOf(attributes.NEvents));
  }

  #endFile({ isInput, text, lumis }: FileSeen): void {
    this.#file = null;
    if (!isInput) {
      const file = text.LFN || text.PFN || "";
      this.#outputs.push({ module: text.ModuleLabel ?? "", file, events: numberOf(text.TotalEvents), lumis });
      return;
    }
    if ((text.InputType || "primaryFiles") !== "primaryFiles") return;
    this.#opened += 1;
    const events = numberOf(text.EventsRead);
    if (events !== null) this.#eventsRead = (this.#eventsRead ?? 0) + events;
    for (const [run, own] of lumis) for (const [lumi, count] of own) note(this.#lumisRead, run, lumi, count);
  }
}

const KEPT: ReadonlySet<string> = new Set(
  "LFN PFN ModuleLabel InputType EventsRead TotalEvents FrameworkError".split(" "),
);

/** A file may be opened twice: a lumi that comes again keeps the larger count. */
function note(lumis: Lumis, run: number, lumi: number, events: number | null): void {
  const own = lumis.get(run) ?? new Map<number, number | null>();
  const before = own.get(lumi) ?? null;
  own.set(lumi, before === null ? events : Math.max(before, events ?? 0));
  lumis.set(run, own);
}

function beginError(attributes: Record<string, string>): { code: number | null; type: string } {
  const code = attributes.ExitStatus === undefined ? EXCEPTION : numberOf(attributes.ExitStatus);
  return { code: code !== null && code > 0 ? Math.trunc(code) : null, type: attributes.Type || "CMSException" };
}

/** The whole of one at once. */
export function readFjr(text: string): StepReport {
  const reader = new FjrReader();
  reader.write(text);
  return reader.end();
}
