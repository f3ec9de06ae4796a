import { Column, Entity, PrimaryColumn } from 'typeorm'
import { StepColumns } from '../../platform/queue/step-columns.ts'
import type { StoredReason } from '../../platform/lib/stored-reason.ts'

/** The ingestion from one prefix of one source: whose turn it is to look, and what the last look found. */
@Entity('ingestion_runs')
export class IngestionRun extends StepColumns {
  /** INGESTION_SOURCE */
  @PrimaryColumn('text')
  source!: string

  @PrimaryColumn('text')
  prefix!: string

  @Column('integer')
  found!: number

  @Column('integer')
  registered!: number

  @Column('integer')
  failed!: number
}

/** A file that the ingestion has seen and not yet registered. */
@Entity('ingestion_files')
export class IngestionFile {
  @PrimaryColumn('text', { name: 'storage_key' })
  storageKey!: string

  /** Size and time as they were seen last: a file that still grows changes them. */
  @Column('text')
  version!: string

  /** The run that saw it last. */
  @Column('uuid', { name: 'run_token' })
  runToken!: string

  @Column('integer')
  attempts!: number

  @Column('timestamptz', { name: 'next_attempt_at' })
  nextAttemptAt!: Date

  /** Why it could not be registered, in words. */
  @Column('text', { nullable: true })
  fault!: string | null

  /** The message of the file with its fault, as stored-reason.ts describes it. */
  @Column('jsonb', { name: 'message_json', nullable: true })
  messageJson!: StoredReason | null

  /** Since when. */
  @Column('timestamptz', { name: 'failed_at', nullable: true })
  failedAt!: Date | null
}
