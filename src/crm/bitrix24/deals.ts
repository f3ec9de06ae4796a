import type { Core } from '../../platform/core.ts'
import { toPortalObject, callPortalMethod, type PortalAccess } from './client.ts'
import { parsePortalRows, type CrmColumnValues, type PortalRowFields, type PortalList } from './fields.ts'
import { portalMessages } from './messages.ts'
import {
  fetchPortalRowsAfterId,
  rejectUnrequestedPortalRows,
  extractPortalRows,
  type PortalRow,
  type PortalRowPage,
} from './rows.ts'
import { formatPortalFilterTime, parsePortalId, parsePortalNumber, parsePortalText, parsePortalTime } from './values.ts'

/** The id of deals among the entity types of the portal. */
export const PORTAL_DEAL_ENTITY_TYPE = 2

/** The letters of the portal for the outcome of a stage: P in progress, S success, F failure. */
const STAGE_SEMANTICS = 'PSF'
/** The limit is twice that of the portal, in characters. */
const MAX_STAGE_ID_LENGTH = 100
/** Texts far longer than the three letters of ISO 4217 are invalid. */
const MAX_CURRENCY_LENGTH = 10
/** Move types are small numbers. Larger ones are invalid. */
const MAX_MOVE_TYPE = 99

/** The outcome of a deal, and the outcome that a stage gives its deals. */
export type DealOutcome = 'open' | 'won' | 'lost'

const parseOutcome = (semantics: unknown): DealOutcome =>
  semantics === 'S' ? 'won' : semantics === 'F' ? 'lost' : 'open'

export const PORTAL_FUNNEL_LIST: PortalList = {
  method: 'crm.category.list',
  params: { entityTypeId: PORTAL_DEAL_ENTITY_TYPE },
  within: 'categories',
  parse(fields) {
    const id = fields.required('id', fields.number('id'))
    const name = fields.text('name') ?? `Funnel ${id}`
    return { id, name, sort: fields.sort('sort'), is_default: fields.flag('isDefault') }
  },
}

/** Builds the list request for the stages of a funnel. Funnel 0 is the default one. */
export const buildPortalStageList = (funnelId: string): PortalList => ({
  method: 'crm.status.list',
  params: { filter: { ENTITY_ID: funnelId === '0' ? 'DEAL_STAGE' : `DEAL_STAGE_${funnelId}` }, order: { SORT: 'ASC' } },
  parse(fields): CrmColumnValues {
    const id = fields.required('STATUS_ID', fields.text('STATUS_ID', MAX_STAGE_ID_LENGTH))
    const outcome = parseOutcome(fields.letter('SEMANTICS', STAGE_SEMANTICS))
    return { funnel_id: funnelId, id, name: fields.text('NAME') ?? id, sort: fields.sort('SORT'), outcome }
  },
})

const DEAL_FIELDS =
  'id title categoryId stageId stageSemanticId opportunity currencyId assignedById contactId contactIds companyId ' +
  'createdTime updatedTime movedTime closed closedate'
const DEAL_PARAMS = { entityTypeId: PORTAL_DEAL_ENTITY_TYPE, select: DEAL_FIELDS.split(' ') }

/**
 * Fetches a page of the deals of these funnels, in the order of their ids.
 * @param from selects only deals changed since then; null selects all
 * @param lastId the deal id before the page
 * @throws PortalError, also if the portal ignores the filter
 */
export async function fetchDealsAfterId(
  core: Core,
  access: PortalAccess,
  { funnels, from }: { funnels: number[]; from: string | null },
  lastId: number,
): Promise<PortalRowPage> {
  const filter = { '@categoryId': funnels, ...(from && { '>=updatedTime': formatPortalFilterTime(new Date(from)) }) }
  const list = {
    method: 'crm.item.list',
    params: { ...DEAL_PARAMS, filter },
    filter: 'filter',
    id: 'id',
    within: 'items',
  } as const
  const page = await fetchPortalRowsAfterId(core, access, list, lastId)
  const filterError = { method: list.method, words: portalMessages.otherDeals() }
  return { ...page, ...rejectUnrequestedPortalRows(page, (row) => isUnrequested(row, funnels, from), filterError) }
}

function isUnrequested({ categoryId, updatedTime }: PortalRow, funnels: number[], from: string | null): boolean {
  const [funnel, updated] = [parsePortalNumber(categoryId), parsePortalTime(updatedTime)]
  if (funnel !== null && !funnels.includes(funnel)) return true
  return updated !== null && from !== null && +updated < Math.floor(Date.parse(from) / 1000) * 1000
}

/** Fetches up to 50 deals of any funnel. @returns `missing` has the ids that the portal did not return */
export async function fetchDealsById(core: Core, access: PortalAccess, ids: string[]) {
  const params = { ...DEAL_PARAMS, filter: { '@id': ids }, order: { id: 'ASC' }, start: -1 }
  const { result } = await callPortalMethod(core, access, 'crm.item.list', params)
  const rows = extractPortalRows(toPortalObject(result).items).filter(({ id }) => ids.includes(parsePortalId(id) ?? ''))
  const foundIds = new Set(rows.map(({ id }) => parsePortalId(id)))
  return { rows, missing: ids.filter((id) => !foundIds.has(id)) }
}

/** Returns true if the portal omitted the outcome of any of these deals. */
export const hasMissingDealOutcomes = (rows: PortalRow[]): boolean =>
  rows.some(({ stageSemanticId }) => parsePortalText(stageSemanticId, 1) === null)

/** A deal of the portal, with the column names of crm_deals. */
export type CrmDeal = ReturnType<typeof parsePortalDeal>

/**
 * Parses a deal of the portal.
 * @param outcomes by "funnel/stage", for deals without an outcome
 * @throws RowRejectedError if a required field is invalid
 */
export function parsePortalDeal(fields: PortalRowFields, outcomes: ReadonlyMap<string, DealOutcome>) {
  const id = fields.required('id', fields.id('id'))
  const funnel = fields.required('categoryId', fields.number('categoryId'))
  const updated = fields.time('updatedTime')
  const created = fields.required('createdTime', fields.time('createdTime') ?? updated)
  const stage = fields.text('stageId', MAX_STAGE_ID_LENGTH)
  const semantics = fields.letter('stageSemanticId', STAGE_SEMANTICS)
  const outcome = semantics === null ? (outcomes.get(`${funnel}/${stage}`) ?? 'open') : parseOutcome(semantics)
  const moved = fields.time('movedTime')
  const contact = fields.id('contactId')
  return {
    id,
    title: fields.text('title') ?? `#${id}`,
    funnel_id: funnel,
    stage_id: stage ?? '',
    outcome,
    amount: fields.amount('opportunity'),
    currency: fields.text('currencyId', MAX_CURRENCY_LENGTH),
    responsible_id: fields.id('assignedById'),
    company_id: fields.id('companyId'),
    contact_ids: [...new Set([...(contact === null ? [] : [contact]), ...fields.ids('contactIds')])],
    created_at: created,
    updated_at: updated ?? created,
    moved_at: moved,
    // An estimate until the stage history, which is read later, provides the exact time.
    closed_at: outcome === 'open' ? null : (moved ?? updated ?? created),
    planned_close_on: fields.time('closedate')?.toISOString().slice(0, 10) ?? null,
  }
}

const STAGE_MOVE_FIELDS = ['ID', 'TYPE_ID', 'OWNER_ID', 'CREATED_TIME', 'CATEGORY_ID', 'STAGE_SEMANTIC_ID', 'STAGE_ID']

/** The move of a deal to another stage, with the column names of crm_stage_history. */
export type DealStageMove = ReturnType<typeof parseStageMove>

/**
 * Fetches a page of stage moves, in the order of their ids.
 * @param after the id before the page
 * @throws PortalError, CrmAutomationOffError
 */
export async function fetchStageMovesAfterId(core: Core, access: PortalAccess, after: number) {
  const list = {
    method: 'crm.stagehistory.list',
    params: { entityTypeId: PORTAL_DEAL_ENTITY_TYPE, select: STAGE_MOVE_FIELDS },
    filter: 'filter',
    id: 'ID',
    within: 'items',
  } as const
  const { rows, rejected, lastId, isLast } = await fetchPortalRowsAfterId(core, access, list, after)
  return { moves: parsePortalRows(rows, parseStageMove, rejected), lastId, isLast }
}

function parseStageMove(fields: PortalRowFields) {
  return {
    id: fields.required('ID', fields.id('ID')),
    deal_id: fields.required('OWNER_ID', fields.id('OWNER_ID')),
    type: fields.required('TYPE_ID', fields.number('TYPE_ID', 0, MAX_MOVE_TYPE)),
    funnel_id: fields.number('CATEGORY_ID'),
    stage_id: fields.text('STAGE_ID', MAX_STAGE_ID_LENGTH) ?? '',
    outcome: parseOutcome(fields.letter('STAGE_SEMANTIC_ID', STAGE_SEMANTICS)),
    moved_at: fields.required('CREATED_TIME', fields.time('CREATED_TIME')),
  }
}
