import { execFileSync } from 'node:child_process'
import { closeSync, mkdirSync, openSync, rmSync, writeSync } from 'node:fs'
import { join } from 'node:path'

/** A tmpfs of a given size, mounted on a folder. Only root can mount it. */
export class SmallDisk {
  readonly folder: string

  private constructor(folder: string) {
    this.folder = folder
  }

  /** Mounts a disk; undefined if mounting is not permitted. */
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

  /** Fills the disk to the last byte. Call it again after space was freed. */
  fill(): void {
    const file = openSync(this.filler, 'a')
    try {
      for (const size of [1024 * 1024, 4096, 1]) writeUntilFull(file, Buffer.alloc(size))
    } finally {
      closeSync(file)
    }
  }

  free(): void {
    rmSync(this.filler, { force: true })
  }

  /** The lazy unmount works even if a process has an open file on the disk. */
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
