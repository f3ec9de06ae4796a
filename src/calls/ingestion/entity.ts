import { Column, Entity, PrimaryColumn } from 'typeorm'
import { StepColumns } from '../../platform/queue/step-columns.ts'
import type { StoredReason } from '../../platform/lib/stored-reason.ts'

/** The ingestion from one prefix of one source, with the counts of the last run. */
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

/** A file that is not registered yet. */
@Entity('ingestion_files')
export class IngestionFile {
  @PrimaryColumn('text', { name: 'storage_key' })
  storageKey!: string

  /** Size and time of the last run: both change while a file grows. */
  @Column('text')
  version!: string

  /** The run that saw it last. */
  @Column('uuid', { name: 'run_token' })
  runToken!: string

  @Column('integer')
  attempts!: number

  @Column('timestamptz', { name: 'next_attempt_at' })
  nextAttemptAt!: Date

  /** Why it could not be registered. */
  @Column('text', { nullable: true })
  fault!: string | null

  /** The message of the file with its fault, as stored-reason.ts describes it. */
  @Column('jsonb', { name: 'message_json', nullable: true })
  messageJson!: StoredReason | null

  @Column('timestamptz', { name: 'failed_at', nullable: true })
  failedAt!: Date | null
}
