import { fork } from 'node:child_process'
import { once } from 'node:events'

/** What the process of the portal is asked for: how often it was asked what, or a call that has just ended. */
export type Ordered = 'count' | 'live'
export interface Told {
  readUrl?: string
  /** Requests by method. */
  asked?: Record<string, number>
  callId?: string
}

export interface PortalProcess {
  readUrl: string
  asked: () => Promise<Record<string, number>>
  endCall: () => Promise<string>
  stop: () => void
}

/** Starts a portal with so many deals and calls. */
export async function startPortal(deals: number, calls: number): Promise<PortalProcess> {
  const child = fork(new URL('crm-portal.mjs', import.meta.url), [String(deals), String(calls)])
  const told = async () => ((await once(child, 'message')) as [Told])[0]
  const order = (ordered: Ordered) => {
    const answer = told()
    child.send(ordered)
    return answer
  }
  const { readUrl } = await told()
  return {
    readUrl: readUrl!,
    asked: async () => (await order('count')).asked!,
    endCall: async () => (await order('live')).callId!,
    stop: () => child.disconnect(),
  }
}
