import { writeSync } from 'node:fs'

/** Pauses this long before the next attempt to write to a full pipe. */
const PIPE_PAUSE_MS = 20

/** Writes lines to standard output or error and drops lines that fail. A Node stream ends the process on a full disk. */
export class LineOutput {
  /** True if the last line was written only in part. */
  private isCut = false

  constructor(private readonly fd: 1 | 2) {}

  write(line: string): void {
    const bytes = Buffer.from(this.isCut ? `\n${line}` : line)
    const written = writeUntilError(this.fd, bytes)
    if (written > 0) this.isCut = written < bytes.length
  }
}

/** Returns the number of written bytes. */
function writeUntilError(fd: number, bytes: Buffer): number {
  let written = 0
  while (written < bytes.length) {
    try {
      written += writeSync(fd, bytes, written)
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EAGAIN') return written
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, PIPE_PAUSE_MS)
    }
  }
  return written
}
