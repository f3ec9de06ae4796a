import { Column } from 'typeorm'
import type { StoredReason } from '../lib/stored-reason.ts'

/** The columns of every table whose rows are steps; its key is its own. */
export abstract class StepColumns {
  /** When the next run may begin. */
  @Column('timestamptz', { name: 'due_at' })
  dueAt!: Date

  /** Of the run under way; whoever holds another token has lost its turn. */
  @Column('uuid', { name: 'run_token', nullable: true })
  runToken!: string | null

  @Column('timestamptz', { name: 'lease_until', nullable: true })
  leaseUntil!: Date | null

  @Column('timestamptz', { name: 'last_run_at', nullable: true })
  lastRunAt!: Date | null

  /** Why the last run broke; null if it was whole. */
  @Column('text', { name: 'last_error', nullable: true })
  lastError!: string | null

  /** The message of `last_error`, as stored-reason.ts describes it. */
  @Column('jsonb', { name: 'message_json', nullable: true })
  messageJson!: StoredReason | null
}
