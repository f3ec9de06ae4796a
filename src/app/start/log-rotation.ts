import { copyFileSync, existsSync, readdirSync, renameSync, rmSync, statSync, truncateSync } from 'node:fs'
import { join } from 'node:path'
import { isOutOfSpaceError } from '../../platform/lib/out-of-space.ts'
import { printTerminalLine } from './progress.ts'

/** Three rotated files are kept, so a log uses about four times this size at most. */
const MAX_LOG_BYTES = 10 * 1024 * 1024
const MAX_ROTATED_FILES = 3
const ROTATION_INTERVAL_MS = 30_000

/**
 * Rotates large logs every 30 seconds.
 * @returns a function that stops the rotation
 */
export function startLogRotation(folder: string, intervalMs = ROTATION_INTERVAL_MS): () => void {
  const timer = setInterval(() => {
    try {
      rotateLargeLogs(folder)
    } catch (error) {
      printTerminalLine(`a log in ${folder} cannot be rotated: ${(error as Error).message}`)
    }
  }, intervalMs)
  return () => clearInterval(timer)
}

/** Renames all logs that are not empty, so that the parts begin new ones. Call it at every start of the service. */
export function rotateAllLogs(folder: string): void {
  for (const file of listLogFiles(folder)) {
    if (statSync(file).size === 0) continue
    shiftRotatedFiles(file)
    renameSync(file, `${file}.1`)
  }
}

/**
 * Copies each large log to .1 and truncates it, because the parts keep the file open. On a full disk, it truncates without a
 * copy.
 */
export function rotateLargeLogs(folder: string, maxBytes = MAX_LOG_BYTES): void {
  for (const file of listLogFiles(folder)) {
    if (statSync(file).size <= maxBytes) continue
    const copy = `${file}.new`
    try {
      copyFileSync(file, copy)
      shiftRotatedFiles(file)
      renameSync(copy, `${file}.1`)
    } catch (error) {
      rmSync(copy, { force: true })
      if (!isOutOfSpaceError(error)) throw error
    }
    truncateSync(file)
  }
}

function shiftRotatedFiles(file: string): void {
  for (let n = MAX_ROTATED_FILES - 1; n >= 1; n--)
    if (existsSync(`${file}.${n}`)) renameSync(`${file}.${n}`, `${file}.${n + 1}`)
}

const listLogFiles = (folder: string): string[] =>
  readdirSync(folder)
    .filter((name) => name.endsWith('.log'))
    .map((name) => join(folder, name))
