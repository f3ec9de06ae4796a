import type { JobColumns } from '../../platform/queue/job-columns.ts'
import { type Status, type Source, type Direction, type Decoder } from './values.ts'

export * from './values.ts'

/** Properties of the audio by the recognizer; lists have one entry for each channel. */
export interface AudioFacts {
  channels: number
  speechSeconds: number[]
  silent: boolean[]
  identical: boolean
  clipped: boolean
}

/** Errors of the audio: a retry cannot help. */
export const AUDIO_ERRORS = ['AUDIO_MISSING', 'UNSUPPORTED_AUDIO', 'AUDIO_TOO_LONG'] as const
export type AudioError = (typeof AUDIO_ERRORS)[number]

/** A call, which is also the job of its transcription. */
export interface Recording extends JobColumns {
  status: Status
  source: Source
  externalCallId: string | null
  phoneNumber: string | null
  managerName: string | null
  direction: Direction | null
  callStartedAt: Date | null
  decoder: Decoder | null
  callbackUrl: string | null
  fileName: string | null
  storageKey: string
  /** Bytes. */
  sizeBytes: string
  /** Seconds; null until the recognizer has decoded the file. */
  durationSeconds: number | null
  errorCode: AudioError | null
  errorMessage: string | null
  /** The agent's channel, if a person has chosen it. */
  agentChannel: 0 | 1 | null
  /** Of the call check, 0–100. */
  score: number | null
  /** Invented by ANALYSIS_PROVIDER=mock; a separate column, so that filters and reports ignore it. */
  mockScore: number | null
  /** Null until it is transcribed. */
  audio: AudioFacts | null
  /** 0–100, of the running attempt. */
  progressPercent: number
}
