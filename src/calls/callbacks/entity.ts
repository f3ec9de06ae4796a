import type { JobColumns } from '../../platform/queue/job-columns.ts'

/** QUEUED and PROCESSING are work; DELIVERED and FAILED are final. */
export type DeliveryStatus = 'QUEUED' | 'PROCESSING' | 'DELIVERED' | 'FAILED'

/** One notification of a receiver; the row is its job. */
export interface Delivery extends JobColumns {
  recordingId: string
  event: 'recording.done' | 'recording.failed'
  url: string
  /** Host and port of the url: deliveries at once are limited by receiver. */
  host: string
  /** The exact bytes to send, made once when the recording ended; emptied once it was accepted. */
  body: string | null
  status: DeliveryStatus
}
