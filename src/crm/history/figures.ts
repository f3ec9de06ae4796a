import { PAGE } from '../bitrix24/rows.ts'

/** The measurements behind an estimate. */
export interface Sampled {
  /** Calls of the period, as the portal counts them. */
  total: number
  /** Share of the sample that would be loaded: with a recording, and not here yet. */
  share: number
  /** Of those already here. */
  shareHere: number
  /** Mean length of what would be loaded. */
  seconds: number
  bytesPerSecond: number
  /** Between pages, and of one page. */
  pauseSeconds: number
  pageSeconds: number
  /** Requests a second that the portal lets through. */
  rate: number
  /** Seconds of recognition for a second of audio, in one slot. */
  rtf: number
  slots: number
  /** Seconds of audio that wait already. */
  waitingSeconds: number
}

export interface Range {
  low: number
  high: number
}

export interface Figures {
  calls: number
  alreadyHere: number
  hours: number
  diskBytes: number
  loadSeconds: Range
  recognitionSeconds: Range
}

/** Range around figures that come from a sample. */
const [LOW, HIGH] = [0.8, 1.25]

/** Estimates a history load. Each call costs two requests: the address of its file, and the file. */
export function estimateFigures(s: Sampled): Figures {
  const calls = s.total * s.share
  const seconds = calls * s.seconds
  const load = (s.total / PAGE) * (s.pauseSeconds + s.pageSeconds) + (2 * calls) / s.rate
  const recognition = ((s.waitingSeconds + seconds) * s.rtf) / s.slots
  return {
    calls: Math.round(calls),
    alreadyHere: Math.round(s.total * s.shareHere),
    hours: Math.round(seconds / 36) / 100,
    diskBytes: Math.round(seconds * s.bytesPerSecond),
    loadSeconds: rangeOf(load),
    recognitionSeconds: rangeOf(recognition),
  }
}

const rangeOf = (seconds: number): Range => ({ low: Math.round(seconds * LOW), high: Math.round(seconds * HIGH) })
