import { parentPort, workerData } from 'node:worker_threads'
import { analyse } from './analyse.ts'
import { seedOf, type ClosedDeal } from './deals.ts'

/** What the thread is given. */
export interface Task {
  /** Rows of readDeals(). */
  deals: string
  replicates: number
}

type Row = Omit<ClosedDeal, 'links'> & { company: number | null; contacts: number[]; calls: string[] }

const { deals, replicates } = workerData as Task
const rows = JSON.parse(deals) as Row[]
const closed = rows.map(({ company, contacts, calls, ...deal }): ClosedDeal => {
  const clients = [...(company === null ? [] : [`company ${company}`]), ...contacts.map((id) => `contact ${id}`)]
  return { ...deal, links: [...clients, ...calls] }
})
// oxlint-disable-next-line unicorn/require-post-message-target-origin
parentPort!.postMessage(analyse(closed, replicates, seedOf(deals)))
