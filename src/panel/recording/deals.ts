import type { CallDealsJson } from '../../crm/deals/schema.ts'
import type { RecordingJson } from '../../calls/recordings/schema.ts'
import { ApiError, returnApiErrorWithStatus } from '../frame/api-client.ts'
import type { PageContext, LoggedInPerson } from '../frame/context.ts'
import type { Language } from '../frame/i18n.ts'

const BADGE_KINDS = { open: 'queued', won: 'done', lost: 'failed' } as const

/** Returns false for a call without deals that did not come from the CRM, if the person sees no CRM funnels. */
export async function canCallHaveDeals(
  { api }: PageContext,
  { source }: Pick<RecordingJson, 'source'>,
  callDeals: CallDealsJson | undefined,
): Promise<boolean> {
  if (!callDeals || callDeals.items.length > 0 || source === 'crm') return true
  const funnels = await api.fetch<unknown[]>('/v1/crm/funnels').catch(returnApiErrorWithStatus(403))
  return !(funnels instanceof ApiError) && funnels.length > 0
}

/** Builds the deals of a call; undefined if there is nothing to show. @param isChoosable result of canCallHaveDeals() */
export function buildCallDealsView(
  callDeals: CallDealsJson | undefined,
  isChoosable: boolean,
  { role }: Pick<LoggedInPerson, 'role'>,
  { words, format }: Language,
) {
  const canChoose = role !== 'manager'
  const isShown = callDeals && (callDeals.items.length > 0 || callDeals.reason !== null || (canChoose && isChoosable))
  if (!isShown) return undefined
  const { outcome, linkedBy, none, notRead } = words.recording.deals
  return {
    mayChoose: canChoose,
    ambiguous: callDeals.ambiguous,
    none: callDeals.reason === 'deal-not-read' ? notRead : none,
    items: callDeals.items.map((deal) => ({
      id: deal.id,
      title: deal.title,
      url: deal.url,
      badge: { kind: BADGE_KINDS[deal.outcome], text: outcome[deal.outcome] },
      facts: [
        `${deal.funnel.name} · ${deal.stage.name}`,
        deal.amount && format.money(deal.amount.amount, deal.amount.currency),
        deal.responsible?.name,
        linkedBy[deal.linkedBy],
      ].filter((fact) => typeof fact === 'string'),
      isLinked: !callDeals.ambiguous,
    })),
  }
}
