import { execFileSync } from 'node:child_process'
import { closeSync, mkdirSync, openSync, rmSync, writeSync } from 'node:fs'
import { join } from 'node:path'

/** A tmpfs of a given size, mounted on a folder. Mounting needs root. */
export class SmallDisk {
  readonly folder: string

  private constructor(folder: string) {
    this.folder = folder
  }

  /** Undefined if mounting is not allowed. */
  static mount(folder: string, megabytes: number): SmallDisk | undefined {
    mkdirSync(folder, { recursive: true })
    try {
      execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${megabytes}m,mode=711`, 'tmpfs', folder], { stdio: 'ignore' })
    } catch {
      return undefined
    }
    return new SmallDisk(folder)
  }

  private get filler(): string {
    return join(this.folder, 'filler')
  }

  /** Fills the disk to the last byte; call it again after space was freed. */
  fill(): void {
    const file = openSync(this.filler, 'a')
    try {
      for (const size of [1024 * 1024, 4096, 1]) writeUntilFull(file, Buffer.alloc(size))
    } finally {
      closeSync(file)
    }
  }

  /** Frees the space. */
  free(): void {
    rmSync(this.filler, { force: true })
  }

  /** Unmounts even if a process has a file open on it. */
  unmount(): void {
    execFileSync('umount', ['-l', this.folder])
  }
}

function writeUntilFull(file: number, bytes: Buffer): void {
  try {
    for (;;) writeSync(file, bytes)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error
  }
}
