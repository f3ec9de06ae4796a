import type { ActivityBinding, TestPortalDeal } from './data.ts'
import { PortalError } from './faults.ts'
import {
  listPortalRows,
  parsePortalListQuery,
  rejectUnknownFilterFields,
  selectPortalFields,
  type PortalMethodResult,
} from './lists.ts'
import type { PortalMethod } from './methods.ts'
import { parseParameterMap, parseParameterText, parseParameterTexts, type PhpParameters } from './parameters.ts'
import type { TestPortal } from './portal.ts'
import { parseFilterFieldName, type PortalListQuery, type TestPortalRow, type PortalTable } from './table.ts'

const DEAL_TYPE_ID = 2

/** Formats a deal for crm.deal.list, in which names are in capitals and values are texts. */
const formatDeal = (deal: TestPortalDeal): TestPortalRow => ({
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

function listDeals(portal: TestPortal, parameters: PhpParameters): PortalMethodResult {
  return listPortalRows(portal.data.deals, parsePortalListQuery(parameters), {
    idName: 'ID',
    times: ['DATE_CREATE', 'DATE_MODIFY', 'MOVED_TIME', 'CLOSEDATE', 'BEGINDATE'],
    show: (row) => formatDeal(row as TestPortalDeal),
    isVisible: (row) => portal.sees('deal', row),
    present: (deal) => selectPortalFields(formatDeal(deal), parameters.select),
  })
}

function findDeal(portal: TestPortal, parameters: PhpParameters): PortalMethodResult {
  const deal = portal.data.deals.get(parameters.id)
  if (!deal || !portal.sees('deal', deal)) throw createNotFoundError()
  return { result: formatDeal(deal) }
}

const createNotFoundError = () => new PortalError(400, '', 'Not found')

function listItems(portal: TestPortal, parameters: PhpParameters): PortalMethodResult {
  rejectOtherTypes(parameters)
  const listQuery = parsePortalListQuery(parameters)
  rejectUnknownFilterFields(listQuery.filter, DEAL_FIELDS)
  const { result, ...counts } = listPortalRows(portal.data.deals, removeTimeFilters(portal, listQuery), {
    idName: 'id',
    times: DEAL_TIMES,
    isVisible: (row) => portal.tellsHiddenItems || portal.sees('deal', row),
    present: (deal) => (portal.sees('deal', deal) ? selectPortalFields(deal, parameters.select) : []),
  })
  return { result: { items: result }, ...counts }
}

/** Some portals ignore filters with times in ISO 8601. */
function removeTimeFilters(portal: TestPortal, listQuery: PortalListQuery): PortalListQuery {
  if (!portal.ignoresIsoFilter) return listQuery
  const remaining = Object.entries(listQuery.filter).filter(
    ([key, value]) =>
      !DEAL_TIMES.includes(parseFilterFieldName(key)) || !/T\d\d:/.test(parseParameterText(value) ?? ''),
  )
  return { ...listQuery, filter: Object.fromEntries(remaining) }
}

function findItem(portal: TestPortal, parameters: PhpParameters): PortalMethodResult {
  rejectOtherTypes(parameters)
  const deal = portal.data.deals.get(parameters.id)
  if (!deal || !portal.sees('deal', deal)) throw new PortalError(400, 'NOT_FOUND', 'Element not found')
  return { result: { item: deal } }
}

function rejectOtherTypes({ entityTypeId }: PhpParameters): void {
  if (Number(entityTypeId) !== DEAL_TYPE_ID) throw new PortalError(400, 'NOT_FOUND', 'SPA not found')
}

function listStageHistory(portal: TestPortal, parameters: PhpParameters): PortalMethodResult {
  rejectOtherTypes(parameters)
  const { result, ...counts } = listPortalRows(portal.data.stageHistory, parsePortalListQuery(parameters), {
    idName: 'ID',
    times: ['CREATED_TIME'],
    isVisible: (row) => portal.sees('deal', { id: row.OWNER_ID }),
    present: (row) => selectPortalFields(row, parameters.select),
  })
  return { result: { items: result }, ...counts }
}

const createListMethod =
  (kind: 'contacts' | 'companies'): PortalMethod =>
  (portal, parameters) =>
    listPortalRows(portal.data[kind], parsePortalListQuery(parameters), {
      idName: 'ID',
      times: ['DATE_MODIFY'],
      present: (row) => selectPortalFields(row, parameters.select, ['PHONE']),
    })

function findByPhone(portal: TestPortal, parameters: PhpParameters): PortalMethodResult {
  const digits = (value: unknown) => (parseParameterText(value) ?? '').replaceAll(/\D/g, '')
  const wantedPhones = new Set(parseParameterTexts(parameters.values).map(digits))
  if (wantedPhones.size > 20) throw new PortalError(400, '', 'Too many values')
  const findIds = (table: PortalTable) =>
    table.rows
      .filter(({ PHONE }) => (PHONE as { VALUE: string }[]).some(({ VALUE }) => wantedPhones.has(digits(VALUE))))
      .map(({ ID }) => Number(ID))
      .slice(0, 20)
  const found: Record<string, number[]> = {
    CONTACT: findIds(portal.data.contacts),
    COMPANY: findIds(portal.data.companies),
  }
  const entityType = parseParameterText(parameters.entity_type)
  const remaining = Object.entries(found).filter(
    ([type, ids]) => ids.length > 0 && (!entityType || entityType === type),
  )
  return { result: remaining.length === 0 ? [] : Object.fromEntries(remaining) }
}

function listActivities(portal: TestPortal, parameters: PhpParameters): PortalMethodResult {
  const { filter, ...listQuery } = parsePortalListQuery(parameters)
  const { BINDINGS, ...otherFilters } = filter
  const pairs = (Array.isArray(BINDINGS) ? BINDINGS : []).map(parseParameterMap)
  const isBound = (row: TestPortalRow) =>
    BINDINGS === undefined ||
    pairs.some(({ OWNER_TYPE_ID, OWNER_ID }) =>
      (row.bindings as ActivityBinding[]).some(
        ({ entityTypeId, entityId }) => entityTypeId === Number(OWNER_TYPE_ID) && entityId === Number(OWNER_ID),
      ),
    )
  return listPortalRows(
    portal.data.activities,
    { ...listQuery, filter: otherFilters },
    {
      idName: 'ID',
      times: ['CREATED'],
      isVisible: isBound,
      present: ({ bindings, ...row }) => {
        const [owner] = bindings as ActivityBinding[]
        return selectPortalFields(
          { ...row, OWNER_TYPE_ID: String(owner?.entityTypeId ?? 0), OWNER_ID: String(owner?.entityId ?? 0) },
          parameters.select,
        )
      },
    },
  )
}

function listBindings(portal: TestPortal, parameters: PhpParameters): PortalMethodResult {
  const activity = portal.data.activities.get(parameters.activityId)
  if (!activity) throw createNotFoundError()
  return { result: activity.bindings }
}

function listFunnels(portal: TestPortal, parameters: PhpParameters): PortalMethodResult {
  rejectOtherTypes(parameters)
  return { result: { categories: portal.data.funnels.rows }, total: portal.data.funnels.rows.length }
}

export const crmPortalMethods: Record<string, PortalMethod> = {
  'crm.deal.list': listDeals,
  'crm.deal.get': findDeal,
  'crm.item.list': listItems,
  'crm.item.get': findItem,
  'crm.stagehistory.list': listStageHistory,
  'crm.category.list': listFunnels,
  'crm.status.list': (portal, parameters) =>
    listPortalRows(portal.data.stages, parsePortalListQuery(parameters), { idName: 'ID' }),
  'crm.contact.list': createListMethod('contacts'),
  'crm.company.list': createListMethod('companies'),
  'crm.duplicate.findbycomm': findByPhone,
  'crm.activity.list': listActivities,
  'crm.activity.binding.list': listBindings,
}
