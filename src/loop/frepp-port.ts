import type { FileChange, FoundFiles, Said } from "../core/frepp.ts";

/** A site that runs frepp beside us: its directories, and the commands that know its queue. */
export interface FreppWorld {
  /** Files of a directory that bear such a name, their first 64 kB. Throws WorldError("files-unreachable"). */
  files(dir: string, wants: (name: string) => boolean): Promise<FoundFiles>;
  /**
   * Writes each whole or not at all, one writer of ours at a time, and only what is still as it was seen: answers the names
   * of those that are not. Throws WorldError("conflict") when another has the directory, WorldError("disk-unwritable").
   */
  change(dir: string, changes: readonly FileChange[]): Promise<ReadonlySet<string>>;
  /** By job id. `accounting` answers null where the installation has no such command. */
  queue(ids: readonly string[]): Promise<ReadonlyMap<string, Said>>;
  accounting(ids: readonly string[]): Promise<ReadonlyMap<string, Said> | null>;
  /** When the queue first answered without a job, as long as this server remembers: one answer proves nothing. */
  readonly missed: Map<string, Date>;
  /** Queued and running jobs of a name, by name. */
  queueByName(names: readonly string[]): Promise<ReadonlyMap<string, Said>>;
}
