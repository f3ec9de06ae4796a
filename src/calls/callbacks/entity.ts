import { Column, Entity, PrimaryColumn } from 'typeorm'
import { JobColumns } from '../../platform/queue/job-columns.ts'
import type { StoredReason } from '../../platform/lib/stored-reason.ts'

/** QUEUED and PROCESSING are pending. DELIVERED is final, and only a person can retry FAILED. */
type DeliveryStatus = 'QUEUED' | 'PROCESSING' | 'DELIVERED' | 'FAILED'

/** A callback to a receiver. The row is also the job that sends it. */
@Entity('deliveries')
export class Delivery extends JobColumns {
  @Column('uuid', { name: 'recording_id' })
  recordingId!: string

  @Column('text')
  event!: 'recording.done' | 'recording.failed'

  @Column('text')
  url!: string

  /** Host and port of `url`. The queue limits the parallel deliveries to one host. */
  @Column('text')
  host!: string

  /** The exact request body, built once when the recording ends. Null after the receiver has accepted the callback. */
  @Column('text', { nullable: true })
  body!: string | null

  @Column('text')
  status!: DeliveryStatus
}

/** One attempt of a delivery, with either an HTTP status or an error. */
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

  /** The message of `error`, see stored-reason.ts. */
  @Column('jsonb', { name: 'message_json', nullable: true })
  messageJson!: StoredReason | null
}
