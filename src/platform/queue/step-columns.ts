import { Column } from 'typeorm'
import type { StoredReason } from '../lib/stored-reason.ts'

/** Declares the columns of every table with steps. Each table adds its own key columns, and `cursor` if its steps keep one. */
export abstract class StepColumns {
  /** Earliest start of the next run. */
  @Column('timestamptz', { name: 'due_at' })
  dueAt!: Date

  /** Token of the current or last run. A process with another token has lost its run. */
  @Column('uuid', { name: 'run_token', nullable: true })
  runToken!: string | null

  @Column('timestamptz', { name: 'lease_until', nullable: true })
  leaseUntil!: Date | null

  @Column('timestamptz', { name: 'last_run_at', nullable: true })
  lastRunAt!: Date | null

  /** Null if the last run succeeded. */
  @Column('text', { name: 'last_error', nullable: true })
  lastError!: string | null

  /** Message of `last_error` (StoredReason). */
  @Column('jsonb', { name: 'message_json', nullable: true })
  messageJson!: StoredReason | null
}
