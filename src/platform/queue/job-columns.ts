import { Column, PrimaryColumn } from 'typeorm'
import type { StoredReason } from '../lib/stored-reason.ts'

/** The columns of every table whose rows are jobs of a queue; `status` is the table's own, with QUEUED, PROCESSING and FAILED. */
export abstract class JobColumns {
  @PrimaryColumn('uuid')
  id!: string

  /** 0 to 10; higher ones come first. */
  @Column('smallint')
  priority!: number

  /** Attempts so far. */
  @Column('integer')
  attempts!: number

  @Column('timestamptz', { name: 'next_attempt_at' })
  nextAttemptAt!: Date

  /** The token of the valid claim; holders of another one write nothing. */
  @Column('uuid', { name: 'attempt_token', nullable: true })
  attemptToken!: string | null

  @Column('timestamptz', { name: 'lease_until', nullable: true })
  leaseUntil!: Date | null

  @Column('text', { name: 'last_error', nullable: true })
  lastError!: string | null

  /** The message of `last_error`, as stored-reason.ts describes it. */
  @Column('jsonb', { name: 'message_json', nullable: true })
  messageJson!: StoredReason | null

  @Column('timestamptz', { name: 'created_at' })
  createdAt!: Date

  @Column('timestamptz', { name: 'started_at', nullable: true })
  startedAt!: Date | null

  @Column('timestamptz', { name: 'finished_at', nullable: true })
  finishedAt!: Date | null
}
