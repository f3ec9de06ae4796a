import { Column, Entity, PrimaryColumn } from 'typeorm'

/** QUEUED and PROCESSING are work; DELIVERED and FAILED are final. */
export type DeliveryStatus = 'QUEUED' | 'PROCESSING' | 'DELIVERED' | 'FAILED'

/** One notification of a receiver; the row is its unit of work (see queue/claims.ts). */
@Entity('deliveries')
export class Delivery {
  @PrimaryColumn('uuid')
  id!: string

  @Column('uuid', { name: 'recording_id' })
  recordingId!: string

  @Column('text')
  event!: 'recording.done' | 'recording.failed'

  @Column('text')
  url!: string

  /** Host and port of the url: deliveries at once are limited by receiver. */
  @Column('text')
  host!: string

  /** The exact bytes to send, made once when the recording ended; emptied once it was accepted. */
  @Column('text', { nullable: true })
  body!: string | null

  @Column('text')
  status!: DeliveryStatus

  @Column('smallint')
  priority!: number

  @Column('integer')
  attempts!: number

  @Column('timestamptz', { name: 'next_attempt_at' })
  nextAttemptAt!: Date

  @Column('uuid', { name: 'attempt_token', nullable: true })
  attemptToken!: string | null

  @Column('timestamptz', { name: 'lease_until', nullable: true })
  leaseUntil!: Date | null

  @Column('text', { name: 'last_error', nullable: true })
  lastError!: string | null

  @Column('timestamptz', { name: 'created_at' })
  createdAt!: Date

  @Column('timestamptz', { name: 'started_at', nullable: true })
  startedAt!: Date | null

  @Column('timestamptz', { name: 'finished_at', nullable: true })
  finishedAt!: Date | null
}

/** One attempt of a delivery: an HTTP status, or why there was none. */
@Entity('delivery_attempts')
export class DeliveryAttempt {
  @PrimaryColumn('uuid', { name: 'delivery_id' })
  deliveryId!: string

  @PrimaryColumn('integer')
  number!: number

  @Column('timestamptz', { name: 'started_at' })
  startedAt!: Date

  @Column('integer', { name: 'duration_ms' })
  durationMs!: number

  @Column('integer', { name: 'status_code', nullable: true })
  statusCode!: number | null

  @Column('text', { nullable: true })
  error!: string | null
}
