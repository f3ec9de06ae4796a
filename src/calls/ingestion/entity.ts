import { Column, Entity, PrimaryColumn } from 'typeorm'
import { StepColumns } from '../../platform/queue/step-columns.ts'
import type { StoredReason } from '../../platform/lib/stored-reason.ts'

/** The ingestion from one prefix of one source, with the counts of the last complete run. */
@Entity('ingestion_runs')
export class IngestionRun extends StepColumns {
  /** The value of INGESTION_SOURCE. */
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

/** A file of the ingestion source that is not registered as a call yet. */
@Entity('ingestion_files')
export class IngestionFile {
  @PrimaryColumn('text', { name: 'storage_key' })
  storageKey!: string

  /** Size and modification time in the last run. They change while another program writes the file. */
  @Column('text')
  version!: string

  /** Token of the last run that found the file. */
  @Column('uuid', { name: 'run_token' })
  runToken!: string

  @Column('integer')
  attempts!: number

  @Column('timestamptz', { name: 'next_attempt_at' })
  nextAttemptAt!: Date

  /** The reason of the last failed registration. */
  @Column('text', { nullable: true })
  fault!: string | null

  /** The message of `fault` with the name of the file, see stored-reason.ts. */
  @Column('jsonb', { name: 'message_json', nullable: true })
  messageJson!: StoredReason | null

  @Column('timestamptz', { name: 'failed_at', nullable: true })
  failedAt!: Date | null
}
