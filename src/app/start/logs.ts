import { copyFileSync, existsSync, readdirSync, renameSync, rmSync, statSync, truncateSync } from 'node:fs'
import { join } from 'node:path'
import { isOutOfSpace } from '../../platform/lib/out-of-space.ts'
import { say } from './progress.ts'

/** With its older pieces a log takes at most four times this. */
const MAX_BYTES = 10 * 1024 * 1024
const PIECES = 3
const EVERY = 30_000

/** Rotates large logs periodically; returns a function that ends this. */
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

export function beginLogs(folder: string): void {
  for (const file of logsIn(folder)) {
    if (statSync(file).size === 0) continue
    moveUp(file)
    renameSync(file, `${file}.1`)
  }
}

/** Copies each large log to .1 and empties it, because the parts keep it open; a full disk skips the copy. */
export function rotateLarge(folder: string, largest = MAX_BYTES): void {
  for (const file of logsIn(folder)) {
    if (statSync(file).size <= largest) continue
    const copy = `${file}.new`
    try {
      copyFileSync(file, copy)
      moveUp(file)
      renameSync(copy, `${file}.1`)
    } catch (error) {
      rmSync(copy, { force: true })
      if (!isOutOfSpace(error)) throw error
    }
    truncateSync(file)
  }
}

function moveUp(file: string): void {
  for (let n = PIECES - 1; n >= 1; n--) if (existsSync(`${file}.${n}`)) renameSync(`${file}.${n}`, `${file}.${n + 1}`)
}

const logsIn = (folder: string): string[] =>
  readdirSync(folder)
    .filter((name) => name.endsWith('.log'))
    .map((name) => join(folder, name))
