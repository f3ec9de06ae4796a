import type { Binding, Deal } from './data.ts'
import { PortalError } from './faults.ts'
import { listRows, parseListQuery, rejectUnknownFields, selectFields, type MethodResult } from './lists.ts'
import type { Method } from './methods.ts'
import { parseMap, parseText, parseTexts, type Parameters } from './parameters.ts'
import type { Portal } from './portal.ts'
import { parseFilterField, type ListQuery, type Row, type Table } from './table.ts'

const DEAL_TYPE_ID = 2

/** Formats a deal for crm.deal.list, in which names are in capitals and values are texts. */
const formatDeal = (deal: Deal): Row => ({
  ID: String(deal.id),
  TITLE: deal.title,
  TYPE_ID: 'SALE',
  CATEGORY_ID: String(deal.categoryId),
  STAGE_ID: deal.stageId,
  STAGE_SEMANTIC_ID: deal.stageSemanticId,
  OPPORTUNITY: deal.opportunity.toFixed(2),
  CURRENCY_ID: deal.currencyId,
  ASSIGNED_BY_ID: String(deal.assignedById),
  CONTACT_ID: String(deal.contactId),
  COMPANY_ID: String(deal.companyId),
  LEAD_ID: null,
  BEGINDATE: deal.createdTime,
  CLOSEDATE: deal.closedate,
  DATE_CREATE: deal.createdTime,
  DATE_MODIFY: deal.updatedTime,
  MOVED_TIME: deal.movedTime,
  CLOSED: deal.closed,
  OPENED: 'Y',
  SOURCE_ID: 'CALL',
})

const DEAL_TIMES = ['createdTime', 'updatedTime', 'movedTime', 'closedate']
const DEAL_FIELDS = DEAL_TIMES.concat(
  'id title categoryId stageId stageSemanticId opportunity currencyId assignedById contactId contactIds companyId closed'.split(
    ' ',
  ),
)

function listDeals(portal: Portal, parameters: Parameters): MethodResult {
  return listRows(portal.data.deals, parseListQuery(parameters), {
    idName: 'ID',
    times: ['DATE_CREATE', 'DATE_MODIFY', 'MOVED_TIME', 'CLOSEDATE', 'BEGINDATE'],
    show: (row) => formatDeal(row as Deal),
    isVisible: (row) => portal.sees('deal', row),
    present: (deal) => selectFields(formatDeal(deal), parameters.select),
  })
}

function findDeal(portal: Portal, parameters: Parameters): MethodResult {
  const deal = portal.data.deals.get(parameters.id)
  if (!deal || !portal.sees('deal', deal)) throw createNotFoundError()
  return { result: formatDeal(deal) }
}

const createNotFoundError = () => new PortalError(400, '', 'Not found')

function listItems(portal: Portal, parameters: Parameters): MethodResult {
  rejectOtherTypes(parameters)
  const listQuery = parseListQuery(parameters)
  rejectUnknownFields(listQuery.filter, DEAL_FIELDS)
  const { result, ...counts } = listRows(portal.data.deals, removeTimeFilters(portal, listQuery), {
    idName: 'id',
    times: DEAL_TIMES,
    isVisible: (row) => portal.tellsHiddenItems || portal.sees('deal', row),
    present: (deal) => (portal.sees('deal', deal) ? selectFields(deal, parameters.select) : []),
  })
  return { result: { items: result }, ...counts }
}

/** Some portals ignore filters with times in ISO 8601. */
function removeTimeFilters(portal: Portal, listQuery: ListQuery): ListQuery {
  if (!portal.ignoresIsoFilter) return listQuery
  const remaining = Object.entries(listQuery.filter).filter(
    ([key, value]) => !DEAL_TIMES.includes(parseFilterField(key)) || !/T\d\d:/.test(parseText(value) ?? ''),
  )
  return { ...listQuery, filter: Object.fromEntries(remaining) }
}

function findItem(portal: Portal, parameters: Parameters): MethodResult {
  rejectOtherTypes(parameters)
  const deal = portal.data.deals.get(parameters.id)
  if (!deal || !portal.sees('deal', deal)) throw new PortalError(400, 'NOT_FOUND', 'Element not found')
  return { result: { item: deal } }
}

function rejectOtherTypes({ entityTypeId }: Parameters): void {
  if (Number(entityTypeId) !== DEAL_TYPE_ID) throw new PortalError(400, 'NOT_FOUND', 'SPA not found')
}

function listStageHistory(portal: Portal, parameters: Parameters): MethodResult {
  rejectOtherTypes(parameters)
  const { result, ...counts } = listRows(portal.data.stageHistory, parseListQuery(parameters), {
    idName: 'ID',
    times: ['CREATED_TIME'],
    isVisible: (row) => portal.sees('deal', { id: row.OWNER_ID }),
    present: (row) => selectFields(row, parameters.select),
  })
  return { result: { items: result }, ...counts }
}

const createListMethod =
  (kind: 'contacts' | 'companies'): Method =>
  (portal, parameters) =>
    listRows(portal.data[kind], parseListQuery(parameters), {
      idName: 'ID',
      times: ['DATE_MODIFY'],
      present: (row) => selectFields(row, parameters.select, ['PHONE']),
    })

function findByPhone(portal: Portal, parameters: Parameters): MethodResult {
  const digits = (value: unknown) => (parseText(value) ?? '').replaceAll(/\D/g, '')
  const wantedPhones = new Set(parseTexts(parameters.values).map(digits))
  if (wantedPhones.size > 20) throw new PortalError(400, '', 'Too many values')
  const findIds = (table: Table) =>
    table.rows
      .filter(({ PHONE }) => (PHONE as { VALUE: string }[]).some(({ VALUE }) => wantedPhones.has(digits(VALUE))))
      .map(({ ID }) => Number(ID))
      .slice(0, 20)
  const found: Record<string, number[]> = {
    CONTACT: findIds(portal.data.contacts),
    COMPANY: findIds(portal.data.companies),
  }
  const entityType = parseText(parameters.entity_type)
  const remaining = Object.entries(found).filter(
    ([type, ids]) => ids.length > 0 && (!entityType || entityType === type),
  )
  return { result: remaining.length === 0 ? [] : Object.fromEntries(remaining) }
}

function listActivities(portal: Portal, parameters: Parameters): MethodResult {
  const { filter, ...listQuery } = parseListQuery(parameters)
  const { BINDINGS, ...otherFilters } = filter
  const pairs = (Array.isArray(BINDINGS) ? BINDINGS : []).map(parseMap)
  const isBound = (row: Row) =>
    BINDINGS === undefined ||
    pairs.some(({ OWNER_TYPE_ID, OWNER_ID }) =>
      (row.bindings as Binding[]).some(
        ({ entityTypeId, entityId }) => entityTypeId === Number(OWNER_TYPE_ID) && entityId === Number(OWNER_ID),
      ),
    )
  return listRows(
    portal.data.activities,
    { ...listQuery, filter: otherFilters },
    {
      idName: 'ID',
      times: ['CREATED'],
      isVisible: isBound,
      present: ({ bindings: listBindings, ...row }) => {
        const [owner] = listBindings as Binding[]
        return selectFields(
          { ...row, OWNER_TYPE_ID: String(owner?.entityTypeId ?? 0), OWNER_ID: String(owner?.entityId ?? 0) },
          parameters.select,
        )
      },
    },
  )
}

function listBindings(portal: Portal, parameters: Parameters): MethodResult {
  const activity = portal.data.activities.get(parameters.activityId)
  if (!activity) throw createNotFoundError()
  return { result: activity.bindings }
}

function listFunnels(portal: Portal, parameters: Parameters): MethodResult {
  rejectOtherTypes(parameters)
  return { result: { categories: portal.data.funnels.rows }, total: portal.data.funnels.rows.length }
}

export const crmMethods: Record<string, Method> = {
  'crm.deal.list': listDeals,
  'crm.deal.get': findDeal,
  'crm.item.list': listItems,
  'crm.item.get': findItem,
  'crm.stagehistory.list': listStageHistory,
  'crm.category.list': listFunnels,
  'crm.status.list': (portal, parameters) => listRows(portal.data.stages, parseListQuery(parameters), { idName: 'ID' }),
  'crm.contact.list': createListMethod('contacts'),
  'crm.company.list': createListMethod('companies'),
  'crm.duplicate.findbycomm': findByPhone,
  'crm.activity.list': listActivities,
  'crm.activity.binding.list': listBindings,
}
