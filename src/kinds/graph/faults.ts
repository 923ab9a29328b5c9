/** What is wrong with the jobs of a template, said once with a count: a thousand jobs have the same mistake. */
interface Fault {
  /** Index in the work's jobs. */
  readonly template: number;
  /** Of the template, as a person writes it. */
  readonly key: string;
  readonly code: FaultCode;
  readonly message: string;
}
/** unknown: a job or file that is named and not there; it may be in a template that could not be read. */
type FaultCode = "text" | "path" | "name" | "twice" | "unknown" | "itself" | "two-makers" | "cycle" | "too-many-globs";

/** A name or path as a message shows it. */
export const quoted = (text: string): string => JSON.stringify(text.length > 80 ? `${text.slice(0, 80)}…` : text);

export class Faults {
  readonly #first = new Map<string, { fault: Fault; more: number }>();

  add(template: number, key: string, code: FaultCode, message: string): void {
    const id = `${template} ${key} ${code}`;
    const known = this.#first.get(id);
    if (!known) this.#first.set(id, { fault: { template, key, code, message }, more: 0 });
    else if (known.fault.message !== message) known.more += 1;
  }

  get all(): readonly Fault[] {
    return [...this.#first.values()].map(({ fault, more }) =>
      more === 0 ? fault : { ...fault, message: `${fault.message} (and ${more} more like it)` },
    );
  }
}
