import { copyFileSync, existsSync, readdirSync, renameSync, statSync, truncateSync } from 'node:fs'
import { join } from 'node:path'
import { say } from './progress.ts'

/** With its older pieces a log takes at most four times this. */
const LARGEST = 10 * 1024 * 1024
const PIECES = 3
const EVERY = 30_000

/** Looks from time to time whether a log has grown too large. @returns what ends it */
export function boundLogs(folder: string, every = EVERY): () => void {
  const timer = setInterval(() => {
    try {
      rotateLarge(folder)
    } catch (error) {
      say(`a log in ${folder} cannot be rotated: ${(error as Error).message}`)
    }
  }, every)
  return () => clearInterval(timer)
}

/**
 * Puts each log that is too large aside, as .1 behind which older ones move up. The parts go on writing to the file they
 * have open, at its new end: so it is copied and emptied, not renamed.
 */
export function rotateLarge(folder: string, largest = LARGEST): void {
  for (const name of readdirSync(folder).filter((name) => name.endsWith('.log'))) {
    const file = join(folder, name)
    if (statSync(file).size <= largest) continue
    for (let n = PIECES - 1; n >= 1; n--) if (existsSync(`${file}.${n}`)) renameSync(`${file}.${n}`, `${file}.${n + 1}`)
    copyFileSync(file, `${file}.1`)
    truncateSync(file)
  }
}
