import type { Command } from "commander";
import { actOn } from "./act.ts";
import { type ActOptions, addActOptions, addReleaseOptions, type ReleaseOptions, releaseBody } from "./act-options.ts";
import { clientFor } from "./reach.ts";
import { optionsOf } from "./settings.ts";

interface Action {
  readonly name: string;
  readonly description: string;
  readonly more?: (command: Command) => Command;
  readonly examples: readonly string[];
}

/** The operator's hand, one command each; what is allowed when is the server's to say. */
const ACTIONS: readonly Action[] = [
  {
    name: "release",
    description: "let held requests go on: what finished stays, modifications apply from now on",
    more: addReleaseOptions,
    examples: [
      'wms2 release muons --reason "site is back"',
      'wms2 release muons --ban T2_XX_Alpha --memory "3 GB" --reason "bad disks there" --dry-run',
      'wms2 release --filter status=held campaign=Run2026A --reason "storage is back"',
    ],
  },
  {
    name: "fail",
    description: "give held requests up for good; a manifest lists the outputs to withdraw",
    examples: ['wms2 fail muons --reason "wrong calibration"'],
  },
  {
    name: "restart",
    description: "kill and clone: give a request up and begin again as its next version",
    more: (command) =>
      command.option("--cleanup-policy <policy>", "keep_until_replaced, or immediate_cleanup: of the old outputs"),
    examples: ['wms2 restart muons --reason "software is mended"'],
  },
  {
    name: "stop",
    description: "clean stop: jobs leave the engine, what finished stays, it goes back to the queue",
    examples: [
      'wms2 stop muons --reason "schedd maintenance"',
      'wms2 stop --filter status=active --reason "power cut"',
    ],
  },
  {
    name: "resume",
    description: "go on with requests that were stopped or held by hand",
    examples: ['wms2 resume muons --reason "schedd is back"'],
  },
  {
    name: "hold",
    description: "clean stop, then wait for a person",
    examples: ['wms2 hold muons --reason "look at the first outputs"'],
  },
  {
    name: "rescue",
    description: "run the failed work units of the present round again now",
    examples: ['wms2 rescue muons --reason "network is back"'],
  },
  {
    name: "abort",
    description: "end requests for good: their jobs are removed, what is registered stays",
    examples: ['wms2 abort weather-example --reason "wrong input"', 'wms2 abort test-1 test-2 --reason "only tests"'],
  },
];

export function addOperate(program: Command): void {
  for (const { name, description, more, examples } of ACTIONS) {
    const command = addActOptions(program.command(name).description(description));
    (more?.(command) ?? command)
      .addHelpText("after", `\nExamples:\n${examples.map((line) => `  ${line}`).join("\n")}`)
      .action(async (names: string[], _options: unknown, used: Command) => {
        const options = optionsOf<ActOptions & ReleaseOptions>(used);
        process.exitCode = await actOn(clientFor(options), name, names, options, releaseBody(options));
      });
  }
}
