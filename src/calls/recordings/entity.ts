import { Column, Entity, PrimaryColumn } from 'typeorm'
import { JobColumns } from '../../platform/queue/job-columns.ts'
import { type RecordingStatus, type CallSource, type CallDirection, type Decoder } from './values.ts'

export * from './values.ts'

/** Properties of the audio by the recognizer; lists have one entry for each channel. */
export interface AudioProperties {
  channels: number
  speechSeconds: number[]
  silent: boolean[]
  identical: boolean
  clipped: boolean
}

/** How the speakers of a call were told apart: by channel, by voice, or not at all. */
export const SPEAKER_METHODS = ['channels', 'voices', 'none'] as const

/** The speakers of a call, as stored. */
export interface CallSpeakers {
  method: (typeof SPEAKER_METHODS)[number]
  /** 0 to 1; null if the speakers are not told apart. */
  confidence: number | null
  /** Which of two voices is the agent, by their words, and how certain that is. */
  agent?: 0 | 1 | null
  agentConfidence?: number | null
}

/** Errors of the audio: a retry cannot help. */
export const AUDIO_ERRORS = ['AUDIO_MISSING', 'UNSUPPORTED_AUDIO', 'AUDIO_TOO_LONG'] as const
export type AudioError = (typeof AUDIO_ERRORS)[number]

/** A call, which is also the job of its transcription. */
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
  decoder!: Decoder | null

  @Column('text', { name: 'callback_url', nullable: true })
  callbackUrl!: string | null

  @Column('text', { name: 'file_name', nullable: true })
  fileName!: string | null

  @Column('text', { name: 'storage_key' })
  storageKey!: string

  /** Bytes. */
  @Column('bigint', { name: 'size_bytes' })
  sizeBytes!: string

  /** SHA-256 of the audio; null for calls of earlier releases and for files that were already in the storage. */
  @Column('bytea', { name: 'audio_sha256', nullable: true })
  audioSha256!: Buffer | null

  /** Seconds; null until the recognizer has decoded the file. */
  @Column('double precision', { name: 'duration_seconds', nullable: true })
  durationSeconds!: number | null

  @Column('text', { name: 'error_code', nullable: true })
  errorCode!: AudioError | null

  @Column('text', { name: 'error_message', nullable: true })
  errorMessage!: string | null

  /** The agent's channel, if a person has chosen it. */
  @Column('smallint', { name: 'agent_channel', nullable: true })
  agentChannel!: 0 | 1 | null

  /** Of the call check, 0–100. */
  @Column('real', { nullable: true })
  score!: number | null

  /** Invented by ANALYSIS_PROVIDER=mock; a separate column, so that filters and reports ignore it. */
  @Column('real', { name: 'mock_score', nullable: true })
  mockScore!: number | null

  /** Null until it is transcribed. */
  @Column('jsonb', { nullable: true })
  audio!: AudioProperties | null

  /** Null until it is transcribed, and for calls of earlier releases. */
  @Column('jsonb', { nullable: true })
  speakers!: CallSpeakers | null

  /** 0–100, of the running attempt. */
  @Column('real', { name: 'progress_percent' })
  progressPercent!: number
}

/** A planned removal of a file, inserted before an upload and with the deletion of a recording, so that no crash leaves a file. */
@Entity('file_removals')
export class FileRemoval {
  @PrimaryColumn('text', { name: 'storage_key' })
  storageKey!: string

  @Column('timestamptz', { name: 'due_at' })
  dueAt!: Date
}
