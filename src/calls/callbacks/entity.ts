import { Column, Entity, PrimaryColumn } from 'typeorm'
import { JobColumns } from '../../platform/queue/job-columns.ts'
import type { StoredReason } from '../../platform/lib/stored-reason.ts'

/** QUEUED and PROCESSING are pending; DELIVERED and FAILED are final. */
type DeliveryStatus = 'QUEUED' | 'PROCESSING' | 'DELIVERED' | 'FAILED'

/** One notification of a receiver; the row is its job. */
@Entity('deliveries')
export class Delivery extends JobColumns {
  @Column('uuid', { name: 'recording_id' })
  recordingId!: string

  @Column('text')
  event!: 'recording.done' | 'recording.failed'

  @Column('text')
  url!: string

  /** Host and port of the url: deliveries at once are limited by receiver. */
  @Column('text')
  host!: string

  /** The exact body, built once when the recording ended; emptied once it was accepted. */
  @Column('text', { nullable: true })
  body!: string | null

  @Column('text')
  status!: DeliveryStatus
}

/** One attempt of a delivery: an HTTP status, or the error. */
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

  /** The message of `error`, as stored-reason.ts describes it. */
  @Column('jsonb', { name: 'message_json', nullable: true })
  messageJson!: StoredReason | null
}
