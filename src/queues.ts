/** The queues of background work, by the names the API shows. */
export const QUEUES = ['transcription', 'callbacks'] as const
export type QueueName = (typeof QUEUES)[number]
