/** A deal that a call can belong to. */
export interface DealCandidate {
  id: string
  createdAt: Date
  /** When it was won or lost; null while it is open. */
  closedAt: Date | null
  responsibleId: string | null
}

/** The evidence for a call's deals, from the surest to the least sure. */
export interface DealEvidence {
  startedAt: Date
  userId: string | null
  /** The choice of a person; undefined if there is none. */
  byPerson?: string[]
  /** The owners of the call's activity in the portal. */
  byActivity: string[]
  /** The deals of the clients who have the call's number. */
  byPhone: DealCandidate[]
}

/** The deals of a call. If several are possible, they are shown, but neither counted nor commented. */
export interface DealChoice {
  linkedBy: 'person' | 'activity' | 'phone'
  dealIds: string[]
  isAmbiguous: boolean
}

/** How long before its creation and after its end calls can be about a deal. */
export const MATCH_MARGIN_DAYS = 14
const MATCH_MARGIN_MS = MATCH_MARGIN_DAYS * 24 * 3600_000

/** The deals that a call belongs to; undefined for none. */
export function chooseDeals({
  startedAt,
  userId,
  byPerson,
  byActivity,
  byPhone,
}: DealEvidence): DealChoice | undefined {
  if (byPerson) return { linkedBy: 'person', dealIds: byPerson, isAmbiguous: false }
  if (byActivity.length > 0) {
    return { linkedBy: 'activity', dealIds: [...new Set(byActivity)], isAmbiguous: false }
  }
  const near = byPhone.filter((deal) => isWithinMargin(deal, startedAt.getTime()))
  const own = near.filter(({ responsibleId }) => userId !== null && responsibleId === userId)
  const dealIds = [...new Set((own.length > 0 ? own : near).map(({ id }) => id))]
  return dealIds.length === 0 ? undefined : { linkedBy: 'phone', dealIds, isAmbiguous: dealIds.length > 1 }
}

/** Whether a deal was open at the time of a call, created soon after it, or closed shortly before. */
function isWithinMargin({ createdAt, closedAt }: DealCandidate, at: number): boolean {
  return (
    createdAt.getTime() <= at + MATCH_MARGIN_MS && (closedAt === null || closedAt.getTime() >= at - MATCH_MARGIN_MS)
  )
}
