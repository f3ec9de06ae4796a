/** A deal of the client of a call. */
export interface DealCandidate {
  id: string
  createdAt: Date
  /** When the deal was won or lost; null while it is open. */
  closedAt: Date | null
  responsibleId: string | null
}

/** The evidence for the deals of a call, most reliable first. */
export interface CallDealEvidence {
  startedAt: Date
  userId: string | null
  /** Deals that a person chose; undefined if nobody chose. */
  byPerson?: string[]
  /** Deals to which the portal links the activity of the call. */
  byActivity: string[]
  /** Deals of the clients with the phone number of the call. */
  byPhone: DealCandidate[]
}

/** The deals chosen for a call. If `isAmbiguous`, they are shown but not counted, and get no comment. */
export interface CallDealChoice {
  linkedBy: 'person' | 'activity' | 'phone'
  dealIds: string[]
  isAmbiguous: boolean
}

/** A call can belong to a deal that was created at most this long after the call, or closed at most this long before it. */
export const DEAL_MATCH_MARGIN_DAYS = 14
const MATCH_MARGIN_MS = DEAL_MATCH_MARGIN_DAYS * 24 * 3600_000

/**
 * Chooses the deals of a call by the most reliable evidence. By phone, deals of the manager of the call take precedence.
 * @returns undefined if no deal matches
 */
export function chooseDealsOfCall({
  startedAt,
  userId,
  byPerson,
  byActivity,
  byPhone,
}: CallDealEvidence): CallDealChoice | undefined {
  if (byPerson) return { linkedBy: 'person', dealIds: byPerson, isAmbiguous: false }
  if (byActivity.length > 0) {
    return { linkedBy: 'activity', dealIds: [...new Set(byActivity)], isAmbiguous: false }
  }
  const near = byPhone.filter((deal) => isWithinMargin(deal, startedAt.getTime()))
  const own = near.filter(({ responsibleId }) => userId !== null && responsibleId === userId)
  const dealIds = [...new Set((own.length > 0 ? own : near).map(({ id }) => id))]
  return dealIds.length === 0 ? undefined : { linkedBy: 'phone', dealIds, isAmbiguous: dealIds.length > 1 }
}

function isWithinMargin({ createdAt, closedAt }: DealCandidate, at: number): boolean {
  return (
    createdAt.getTime() <= at + MATCH_MARGIN_MS && (closedAt === null || closedAt.getTime() >= at - MATCH_MARGIN_MS)
  )
}
