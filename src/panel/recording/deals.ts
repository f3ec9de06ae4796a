import type { DealsJson } from '../../crm/deals/schema.ts'
import { ApiError } from '../frame/api-client.ts'
import { loadPerson, seeOther, type PageContext, type Person, type Route } from '../frame/context.ts'
import { Fields, readFields } from '../frame/fields.ts'
import { faultyForm, freshForm, type Form } from '../frame/form.ts'
import type { Language } from '../frame/i18n.ts'
import { pageOfCall } from './list.ts'
import { answerRecording, apiPath } from './routes.ts'

export const recordingDealRoutes: Route[] = [{ method: 'post', path: '/recordings/:id/deals', handle: choose }]

/** The colours of outcomes are those of calls. */
const KINDS = { open: 'queued', won: 'done', lost: 'failed' } as const

/** The deals of a call as its page shows them; undefined where there is nothing to show. */
export function dealsOf(
  given: DealsJson | undefined,
  source: string,
  { role }: Pick<Person, 'role'>,
  { words, format }: Language,
) {
  const mayChoose = role !== 'manager'
  if (!given || (given.items.length === 0 && !(mayChoose && source === 'crm'))) return undefined
  const { outcome, linkedBy } = words.recording.deals
  return {
    mayChoose,
    ambiguous: given.ambiguous,
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

/** The form that chooses them, with none typed in. */
export const dealsForm = (): Form => freshForm(Fields.of({ dealIds: '' }))

async function choose(context: PageContext): Promise<void> {
  const { ctx, api } = context
  const [fields] = await Promise.all([readFields(ctx), loadPerson(context)])
  const typed = fields.text('dealIds').split(/[\s,;]+/)
  const dealIds = [...new Set([...fields.all('deal'), ...typed].filter(Boolean))]
  try {
    await api.send('PUT', `${apiPath(context)}/deals`, { dealIds })
  } catch (error) {
    if (!(error instanceof ApiError && error.status === 400)) throw error
    ctx.status = 400
    const dealsFault = faultyForm(error, fields, ['dealIds'], context.language)
    return answerRecording(context, { dealsFault })
  }
  seeOther(ctx, pageOfCall(ctx), context.language.words.recording.deals.chosen)
}
