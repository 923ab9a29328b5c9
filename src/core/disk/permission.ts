/** Who something is done as, when that is not this process. */
export interface Owner {
  readonly uid: number;
  readonly gid: number;
}

export const [READ, WRITE, ENTER] = [4, 2, 1] as const;

/**
 * By the mode bits, as the system would decide for that user: the first class it belongs to counts alone, and root passes. Only
 * its own group is known here, not the others it may be in.
 */
export function permits(
  file: { readonly mode: number; readonly uid: number; readonly gid: number },
  owner: Owner,
  need: number,
): boolean {
  if (owner.uid === 0) return true;
  const shift = file.uid === owner.uid ? 6 : file.gid === owner.gid ? 3 : 0;
  return ((file.mode >> shift) & need) === need;
}
