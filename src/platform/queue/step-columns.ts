import { Column } from 'typeorm'
import type { StoredReason } from '../lib/stored-reason.ts'

/** The columns of every table whose rows are steps; its key is its own. */
export abstract class StepColumns {
  /** When the next run can begin. */
  @Column('timestamptz', { name: 'due_at' })
  dueAt!: Date

  /** The token of the running run; a holder of another token has lost it. */
  @Column('uuid', { name: 'run_token', nullable: true })
  runToken!: string | null

  @Column('timestamptz', { name: 'lease_until', nullable: true })
  leaseUntil!: Date | null

  @Column('timestamptz', { name: 'last_run_at', nullable: true })
  lastRunAt!: Date | null

  /** The error of the last run; null if it succeeded. */
  @Column('text', { name: 'last_error', nullable: true })
  lastError!: string | null

  /** The message of `last_error`, as stored-reason.ts describes it. */
  @Column('jsonb', { name: 'message_json', nullable: true })
  messageJson!: StoredReason | null
}
