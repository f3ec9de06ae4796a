import type { QueueJson } from '../../calls/jobs/schema.ts'
import type { PageContext } from '../frame/context.ts'
import type { Badge } from '../frame/page.ts'

type QueueCounts = Pick<QueueJson, 'name' | 'waiting' | 'delayed' | 'failed'>

/** What waits in all queues, and the callbacks that nobody got; calls that failed stand in the list of calls. */
export async function readBadge({ api }: PageContext): Promise<Badge> {
  const queues = await api.read<QueueCounts[]>('/v1/queues')
  return {
    count: queues.reduce((sum, { waiting, delayed }) => sum + waiting + delayed, 0),
    failed: queues.find(({ name }) => name === 'callbacks')?.failed ?? 0,
  }
}
