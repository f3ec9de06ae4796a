import { setFlagsFromString } from 'node:v8'

/** MB that a heap may take beyond what was left by the last collection of all of it. */
const ROOM = 45
/** Of what was left: V8 wants it as a share, for the heap of a process that has just started. */
const MOST_PERCENT = 150
const MB = 1024 * 1024

let isLet = false

/**
 * Lets the heap grow further between two collections of all of it. V8 counts the buffers of a running upload as heap, and
 * would, once a process has been idle, collect everything at every 10 MB that arrive.
 *
 * What it is worth: an upload of 256 MB takes the API 0.44 s of processor time instead of 1.65, and is three times as fast
 * (the client of `npm run bench -- upload` against an API with it and one without, in turns, on a busy machine of two cores).
 */
export function letHeapGrow(): void {
  isLet = true
  setShare()
}

/** To be called when much has come to stay: the same share of it would be more room than anybody needs. */
export function heapHasGrown(): void {
  if (isLet) setShare()
}

function setShare(): void {
  const percent = Math.round((100 * ROOM * MB) / process.memoryUsage().heapUsed)
  setFlagsFromString(`--heap-growing-percent=${Math.min(percent, MOST_PERCENT)}`)
}
