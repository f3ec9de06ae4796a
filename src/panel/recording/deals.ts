import type { DealsJson } from '../../crm/deals/schema.ts'
import type { RecordingJson } from '../../calls/recordings/schema.ts'
import { ApiError, refusal } from '../frame/api-client.ts'
import type { PageContext, Person } from '../frame/context.ts'
import type { Language } from '../frame/i18n.ts'

const KINDS = { open: 'queued', won: 'done', lost: 'failed' } as const

/** Whether a call without deals can get one: a call of the CRM, or any call if the CRM is read. Managers cannot choose. */
export async function canBelong(
  { api }: PageContext,
  { source }: Pick<RecordingJson, 'source'>,
  given: DealsJson | undefined,
): Promise<boolean> {
  if (!given || given.items.length > 0 || source === 'crm') return true
  const funnels = await api.read<unknown[]>('/v1/crm/funnels').catch(refusal(403))
  return !(funnels instanceof ApiError) && funnels.length > 0
}

export function dealsOf(
  given: DealsJson | undefined,
  isChoosable: boolean,
  { role }: Pick<Person, 'role'>,
  { words, format }: Language,
) {
  const mayChoose = role !== 'manager'
  const isShown = given && (given.items.length > 0 || given.reason !== null || (mayChoose && isChoosable))
  if (!isShown) return undefined
  const { outcome, linkedBy, none, notRead } = words.recording.deals
  return {
    mayChoose,
    ambiguous: given.ambiguous,
    none: given.reason === 'deal-not-read' ? notRead : none,
    items: given.items.map((deal) => ({
      id: deal.id,
      title: deal.title,
      url: deal.url,
      badge: { kind: KINDS[deal.outcome], text: outcome[deal.outcome] },
      facts: [
        `${deal.funnel.name} · ${deal.stage.name}`,
        deal.amount && format.money(deal.amount.amount, deal.amount.currency),
        deal.responsible?.name,
        linkedBy[deal.linkedBy],
      ].filter((fact) => typeof fact === 'string'),
      isLinked: !given.ambiguous,
    })),
  }
}
