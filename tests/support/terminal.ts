import { type ChildProcess, spawn } from "node:child_process";
import { eventually } from "./eventually.ts";

// biome-ignore lint/suspicious/noControlCharactersInRegex: sequences are what it looks for
const CONTROL = /\u001b\[([?\d]*)([A-Za-z])/g;

/** A command in a terminal of its own (that of `script`), typed into and read like one. */
export class Terminal {
  /** Everything it wrote. */
  output = "";
  readonly #child: ChildProcess;
  readonly ended: Promise<unknown>;

  /** Around the command its modes, exit code and again its modes are written, so that a test sees whether it was restored. */
  constructor(command: string, columns: number, rows: number, env: Readonly<Record<string, string>> = {}) {
    const line = `stty cols ${columns} rows ${rows}; tty; echo "modes $(stty -g)"; ${command}; echo "exit $?"; echo "modes $(stty -g)"`;
    this.#child = spawn("script", ["-qefc", line, "/dev/null"], {
      env: { ...process.env, TERM: "xterm", ...env },
      stdio: ["pipe", "pipe", "inherit"],
    });
    this.#child.stdout?.on("data", (chunk) => {
      this.output += chunk;
    });
    this.ended = new Promise((done) => this.#child.once("close", done));
  }

  type(keys: string): void {
    this.#child.stdin?.write(keys);
  }

  /** Its device, to resize it from outside. */
  get device(): string {
    return /\/dev\/\S+/.exec(this.output)?.[0] ?? "";
  }

  get isRestored(): boolean {
    const [before, after] = [...this.output.matchAll(/modes (\S+)/g)].map(([, modes]) => modes);
    return before !== undefined && before === after;
  }

  /** What stands on its screen: the few sequences we write are obeyed, colours left out. */
  get screen(): string {
    const lines: string[] = [];
    let row = 0;
    let from = 0;
    const write = (text: string) => {
      if (text) lines[row] = (lines[row] ?? "") + text;
    };
    for (const { 0: all, 1: number, 2: final, index } of this.output.matchAll(CONTROL)) {
      write(this.output.slice(from, index));
      from = index + all.length;
      if (final === "J" || (final === "h" && number === "?1049")) lines.length = 0;
      if (final === "H") {
        row = Number(number || 1) - 1;
        lines[row] = "";
      }
    }
    write(this.output.slice(from));
    return Array.from(lines, (line) => line ?? "").join("\n");
  }

  /** Waits until its screen shows it. */
  shows(what: string | RegExp, deadlineSec = 30): Promise<unknown> {
    const isThere = () => (typeof what === "string" ? this.screen.includes(what) : what.test(this.screen));
    return eventually(`the terminal shows ${what}`, async () => isThere(), {
      deadlineSec,
      everyMs: 50,
      describe: () => this.screen,
    });
  }

  kill(): void {
    this.#child.kill("SIGKILL");
  }
}
