import { Column, PrimaryColumn } from 'typeorm'
import type { StoredReason } from '../lib/stored-reason.ts'

/**
 * Declares the columns of every table with jobs. Each table adds its own `status`, which includes QUEUED, PROCESSING and FAILED.
 */
export abstract class JobColumns {
  @PrimaryColumn('uuid')
  id!: string

  /** From 0 to 10; workers claim jobs with a higher priority first. */
  @Column('smallint')
  priority!: number

  @Column('integer')
  attempts!: number

  @Column('timestamptz', { name: 'next_attempt_at' })
  nextAttemptAt!: Date

  /** Token of the valid claim. Workers with another token cannot write. */
  @Column('uuid', { name: 'attempt_token', nullable: true })
  attemptToken!: string | null

  @Column('timestamptz', { name: 'lease_until', nullable: true })
  leaseUntil!: Date | null

  @Column('text', { name: 'last_error', nullable: true })
  lastError!: string | null

  /** Message of `last_error` (StoredReason). */
  @Column('jsonb', { name: 'message_json', nullable: true })
  messageJson!: StoredReason | null

  @Column('timestamptz', { name: 'created_at' })
  createdAt!: Date

  @Column('timestamptz', { name: 'started_at', nullable: true })
  startedAt!: Date | null

  @Column('timestamptz', { name: 'finished_at', nullable: true })
  finishedAt!: Date | null
}
