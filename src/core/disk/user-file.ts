import { constants } from "node:fs";
import { type FileHandle, open, stat } from "node:fs/promises";

/**
 * Files that people name and the server reads for them. Anything but a regular file is refused before it is opened, since
 * opening a pipe or a device can wait for ever in one of the few threads that serve all files; it is opened without
 * waiting all the same, as it may have been replaced meanwhile. Never more is read than the file's size says: what the
 * kernel makes up while it is read (below /proc and /sys) has the size 0.
 */
async function withUserFile<T>(path: string, work: (file: FileHandle, sizeBytes: number) => Promise<T>): Promise<T> {
  const refuseOther = (found: { isFile(): boolean }) => {
    if (!found.isFile()) throw new Error("it is not a regular file");
  };
  refuseOther(await stat(path));
  const file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK);
  try {
    const found = await file.stat();
    refuseOther(found);
    return await work(file, found.size);
  } finally {
    await file.close();
  }
}

/** The text of a file that a person named. */
export const readUserFile = (path: string, maxBytes: number): Promise<string> =>
  withUserFile(path, async (file, sizeBytes) => {
    if (sizeBytes > maxBytes) throw new Error(`it has ${sizeBytes} bytes; at most ${maxBytes} are read`);
    const bytes = Buffer.alloc(sizeBytes);
    let end = 0;
    while (end < sizeBytes) {
      const { bytesRead } = await file.read(bytes, end, sizeBytes - end, end);
      if (bytesRead === 0) break;
      end += bytesRead;
    }
    return bytes.toString("utf8", 0, end);
  });

const CHUNK_BYTES = 1 << 20;

/** Size and, where wanted, lines (one without an end counts too) of a file that a person named. */
export const measureUserFile = (
  path: string,
  wantsLines: boolean,
  signal?: AbortSignal,
): Promise<{ sizeBytes: number; lines: number }> =>
  withUserFile(path, async (file, sizeBytes) => {
    let lines = 0;
    let last = 10;
    const chunk = Buffer.alloc(wantsLines ? Math.min(CHUNK_BYTES, sizeBytes) : 0);
    for (let at = 0; wantsLines && at < sizeBytes; ) {
      signal?.throwIfAborted();
      const { bytesRead } = await file.read(chunk, 0, Math.min(chunk.length, sizeBytes - at), at);
      if (bytesRead === 0) break;
      const part = chunk.subarray(0, bytesRead);
      for (let end = part.indexOf(10); end !== -1; end = part.indexOf(10, end + 1)) lines += 1;
      last = part[bytesRead - 1] ?? last;
      at += bytesRead;
    }
    return { sizeBytes, lines: last === 10 ? lines : lines + 1 };
  });
