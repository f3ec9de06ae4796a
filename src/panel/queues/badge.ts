import type { QueueJson } from '../../calls/jobs/schema.ts'
import type { PageContext } from '../frame/context.ts'
import type { Badge } from '../frame/page.ts'

type QueueCounts = Pick<QueueJson, 'name' | 'waiting' | 'delayed' | 'failed'>

/** What waits in all queues, and the callbacks that nobody got; calls that failed stand in the list of calls. */
export const badgeOf = (queues: QueueCounts[]): Badge => ({
  count: queues.reduce((sum, { waiting, delayed }) => sum + waiting + delayed, 0),
  failed: queues.find(({ name }) => name === 'callbacks')?.failed ?? 0,
})

export const readBadge = async ({ api }: PageContext): Promise<Badge> =>
  badgeOf(await api.read<QueueCounts[]>('/v1/queues'))
