import { Column, Entity, PrimaryColumn } from 'typeorm'
import { JobColumns } from '../../platform/queue/job-columns.ts'
import { type RecordingStatus, type CallSource, type CallDirection, type DecoderName } from './values.ts'

export * from './values.ts'

/** Properties that the recognizer measured on the audio. Lists have one entry per channel. */
export interface AudioProperties {
  channels: number
  speechSeconds: number[]
  silent: boolean[]
  identical: boolean
  clipped: boolean
}

/** How the speakers of a call were separated: by channel, by voice, or not at all. */
export const SPEAKER_METHODS = ['channels', 'voices', 'none'] as const

/** The speakers of a call, as stored. */
export interface CallSpeakers {
  method: (typeof SPEAKER_METHODS)[number]
  /** 0 to 1; null if the speakers are not separated. */
  confidence: number | null
  /** The voice of the agent, found by the words of both voices. Only with the method 'voices'. */
  agent?: 0 | 1 | null
  agentConfidence?: number | null
}

/** Codes of errors that a retry cannot fix, because the audio is missing or unusable. */
export const AUDIO_ERROR_CODES = ['AUDIO_MISSING', 'UNSUPPORTED_AUDIO', 'AUDIO_TOO_LONG'] as const
export type AudioErrorCode = (typeof AUDIO_ERROR_CODES)[number]

/** A call. The row is also the job of its transcription. */
@Entity('recordings')
export class Recording extends JobColumns {
  @Column('text')
  status!: RecordingStatus

  @Column('text')
  source!: CallSource

  @Column('text', { name: 'external_call_id', nullable: true })
  externalCallId!: string | null

  @Column('text', { name: 'phone_number', nullable: true })
  phoneNumber!: string | null

  @Column('text', { name: 'manager_name', nullable: true })
  managerName!: string | null

  @Column('text', { nullable: true })
  direction!: CallDirection | null

  @Column('timestamptz', { name: 'call_started_at', nullable: true })
  callStartedAt!: Date | null

  @Column('text', { nullable: true })
  decoder!: DecoderName | null

  @Column('text', { name: 'callback_url', nullable: true })
  callbackUrl!: string | null

  @Column('text', { name: 'file_name', nullable: true })
  fileName!: string | null

  @Column('text', { name: 'storage_key' })
  storageKey!: string

  /** In bytes. Postgres returns a bigint as a string. */
  @Column('bigint', { name: 'size_bytes' })
  sizeBytes!: string

  /** SHA-256 of the audio. Null for calls of earlier releases and for files that another program stored. */
  @Column('bytea', { name: 'audio_sha256', nullable: true })
  audioSha256!: Buffer | null

  /** Null until the recognizer reports the length. */
  @Column('double precision', { name: 'duration_seconds', nullable: true })
  durationSeconds!: number | null

  @Column('text', { name: 'error_code', nullable: true })
  errorCode!: AudioErrorCode | null

  @Column('text', { name: 'error_message', nullable: true })
  errorMessage!: string | null

  /** Channel or voice of the agent; null if no person has chosen it for this call. */
  @Column('smallint', { name: 'agent_channel', nullable: true })
  agentChannel!: 0 | 1 | null

  /** Score of the current call check from 0 to 100; null without one. */
  @Column('real', { nullable: true })
  score!: number | null

  /** Invented score of ANALYSIS_PROVIDER=mock. It has its own column, so that filters and reports ignore it. */
  @Column('real', { name: 'mock_score', nullable: true })
  mockScore!: number | null

  /** Null until the call is transcribed, and for calls of earlier releases. */
  @Column('jsonb', { nullable: true })
  audio!: AudioProperties | null

  /** Null until the call is transcribed, and for calls of earlier releases. */
  @Column('jsonb', { nullable: true })
  speakers!: CallSpeakers | null

  /** Progress of the running attempt from 0 to 100. */
  @Column('real', { name: 'progress_percent' })
  progressPercent!: number
}

/**
 * A planned removal of a file. The row is inserted before an upload, and when a recording is deleted or gets other audio. So a
 * crash leaves no orphaned file.
 */
@Entity('file_removals')
export class FileRemoval {
  @PrimaryColumn('text', { name: 'storage_key' })
  storageKey!: string

  @Column('timestamptz', { name: 'due_at' })
  dueAt!: Date
}
