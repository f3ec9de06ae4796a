import type { Core } from '../../platform/core.ts'
import { asObject, callPortal, type Asking } from './client.ts'
import { parseRows, type Columns, type Fields, type PortalList } from './fields.ts'
import { portalMessages } from './messages.ts'
import { fetchRowsAfter, rejectStrangers, rowsOf, type Row, type Rows } from './rows.ts'
import { filterTime, idOf, numberOf, textOf, timeOf } from './values.ts'

/** The number of deals among the portal's types of entities. */
export const DEAL = 2

/** The portal's letters for the meaning of a stage: in progress, success, failure. */
const SEMANTICS = 'PSF'
/** The portal allows at most 50 characters. */
const LONGEST_STAGE_ID = 100
/** ISO 4217 codes have three letters. */
const LONGEST_CURRENCY = 10
/** The type of a move is a small number. */
const LARGEST_MOVE_TYPE = 99

export type Outcome = 'open' | 'won' | 'lost'

const outcomeOf = (semantics: unknown): Outcome => (semantics === 'S' ? 'won' : semantics === 'F' ? 'lost' : 'open')

export const FUNNELS: PortalList = {
  method: 'crm.category.list',
  params: { entityTypeId: DEAL },
  within: 'categories',
  parse(fields) {
    const id = fields.required('id', fields.number('id'))
    const name = fields.text('name') ?? `Funnel ${id}`
    return { id, name, sort: fields.sort('sort'), is_default: fields.flag('isDefault') }
  },
}

export const stagesOf = (funnelId: string): PortalList => ({
  method: 'crm.status.list',
  params: { filter: { ENTITY_ID: funnelId === '0' ? 'DEAL_STAGE' : `DEAL_STAGE_${funnelId}` }, order: { SORT: 'ASC' } },
  parse(fields): Columns {
    const id = fields.required('STATUS_ID', fields.text('STATUS_ID', LONGEST_STAGE_ID))
    const outcome = outcomeOf(fields.letter('SEMANTICS', SEMANTICS))
    return { funnel_id: funnelId, id, name: fields.text('NAME') ?? id, sort: fields.sort('SORT'), outcome }
  },
})

const FIELDS =
  'id title categoryId stageId stageSemanticId opportunity currencyId assignedById contactId contactIds companyId ' +
  'createdTime updatedTime movedTime closed closedate'
const SELECT = { entityTypeId: DEAL, select: FIELDS.split(' ') }

/**
 * Fetches a page of deals of these funnels after an id.
 * @param from only deals changed since then; null for all
 * @throws PortalError also if the portal ignores the filter
 */
export async function fetchDealsAfter(
  core: Core,
  asking: Asking,
  { funnels, from }: { funnels: number[]; from: string | null },
  lastId: number,
): Promise<Rows> {
  const filter = { '@categoryId': funnels, ...(from && { '>=updatedTime': filterTime(new Date(from)) }) }
  const list = {
    method: 'crm.item.list',
    params: { ...SELECT, filter },
    filter: 'filter',
    id: 'id',
    within: 'items',
  } as const
  const page = await fetchRowsAfter(core, asking, list, lastId)
  const refusal = { method: list.method, words: portalMessages.otherDeals() }
  return { ...page, ...rejectStrangers(page, (row) => isStranger(row, funnels, from), refusal) }
}

function isStranger({ categoryId, updatedTime }: Row, funnels: number[], from: string | null): boolean {
  const [funnel, updated] = [numberOf(categoryId), timeOf(updatedTime)]
  if (funnel !== null && !funnels.includes(funnel)) return true
  return updated !== null && from !== null && +updated < Math.floor(Date.parse(from) / 1000) * 1000
}

/** Fetches up to 50 deals of any funnel by their ids. @returns also the ids that the portal did not return */
export async function fetchDealsById(core: Core, asking: Asking, ids: string[]) {
  const params = { ...SELECT, filter: { '@id': ids }, order: { id: 'ASC' }, start: -1 }
  const { result } = await callPortal(core, asking, 'crm.item.list', params)
  const rows = rowsOf(asObject(result).items).filter(({ id }) => ids.includes(idOf(id) ?? ''))
  const found = new Set(rows.map(({ id }) => idOf(id)))
  return { rows, missing: ids.filter((id) => !found.has(id)) }
}

/** Whether a portal does not return the meaning of stages with its deals. */
export const lackOutcomes = (rows: Row[]): boolean =>
  rows.some(({ stageSemanticId }) => textOf(stageSemanticId, 1) === null)

export type Deal = ReturnType<typeof asDeal>

/** @param outcomes of stages by "funnel/stage", for deals without the meaning of their stage */
export function asDeal(fields: Fields, outcomes: ReadonlyMap<string, Outcome>) {
  const id = fields.required('id', fields.id('id'))
  const funnel = fields.required('categoryId', fields.number('categoryId'))
  const updated = fields.time('updatedTime')
  const created = fields.required('createdTime', fields.time('createdTime') ?? updated)
  const stage = fields.text('stageId', LONGEST_STAGE_ID)
  const semantics = fields.letter('stageSemanticId', SEMANTICS)
  const outcome = semantics === null ? (outcomes.get(`${funnel}/${stage}`) ?? 'open') : outcomeOf(semantics)
  const moved = fields.time('movedTime')
  const contact = fields.id('contactId')
  return {
    id,
    title: fields.text('title') ?? `#${id}`,
    funnel_id: funnel,
    stage_id: stage ?? '',
    outcome,
    amount: fields.amount('opportunity'),
    currency: fields.text('currencyId', LONGEST_CURRENCY),
    responsible_id: fields.id('assignedById'),
    company_id: fields.id('companyId'),
    contact_ids: [...new Set([...(contact === null ? [] : [contact]), ...fields.ids('contactIds')])],
    created_at: created,
    updated_at: updated ?? created,
    moved_at: moved,
    // A guess for new deals: their history, which is read later, has the time of closing.
    closed_at: outcome === 'open' ? null : (moved ?? updated ?? created),
    planned_close_on: fields.time('closedate')?.toISOString().slice(0, 10) ?? null,
  }
}

const MOVE_FIELDS = ['ID', 'TYPE_ID', 'OWNER_ID', 'CREATED_TIME', 'CATEGORY_ID', 'STAGE_SEMANTIC_ID', 'STAGE_ID']

export type Move = ReturnType<typeof asMove>

export async function fetchMovesAfter(core: Core, asking: Asking, after: number) {
  const list = {
    method: 'crm.stagehistory.list',
    params: { entityTypeId: DEAL, select: MOVE_FIELDS },
    filter: 'filter',
    id: 'ID',
    within: 'items',
  } as const
  const { rows, rejected, lastId, isLast } = await fetchRowsAfter(core, asking, list, after)
  return { moves: parseRows(rows, asMove, rejected), lastId, isLast }
}

function asMove(fields: Fields) {
  return {
    id: fields.required('ID', fields.id('ID')),
    deal_id: fields.required('OWNER_ID', fields.id('OWNER_ID')),
    type: fields.required('TYPE_ID', fields.number('TYPE_ID', 0, LARGEST_MOVE_TYPE)),
    funnel_id: fields.number('CATEGORY_ID'),
    stage_id: fields.text('STAGE_ID', LONGEST_STAGE_ID) ?? '',
    outcome: outcomeOf(fields.letter('STAGE_SEMANTIC_ID', SEMANTICS)),
    moved_at: fields.required('CREATED_TIME', fields.time('CREATED_TIME')),
  }
}
