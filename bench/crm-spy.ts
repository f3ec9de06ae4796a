import { fork } from 'node:child_process'
import { once } from 'node:events'

/** What the process of the portal is asked for. */
export type Ordered =
  /** How often it was asked what. */
  | { kind: 'count' }
  /** A call that has just ended. */
  | { kind: 'live' }
  /** When it was first asked for a call. */
  | { kind: 'asked'; callId: string }
export interface Told {
  readUrl?: string
  /** Requests by method. */
  asked?: Record<string, number>
  callId?: string
  /** Milliseconds since the epoch. */
  at?: number
}

export interface PortalProcess {
  readUrl: string
  asked: () => Promise<Record<string, number>>
  endCall: () => Promise<string>
  /** When the portal was first asked for a call, in milliseconds since the epoch. */
  firstAsked: (callId: string) => Promise<number>
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
    asked: async () => (await order({ kind: 'count' })).asked!,
    endCall: async () => (await order({ kind: 'live' })).callId!,
    firstAsked: async (callId) => (await order({ kind: 'asked', callId })).at!,
    stop: () => child.disconnect(),
  }
}
