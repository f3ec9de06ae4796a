import type { Binding, Deal } from './data.ts'
import { PortalError } from './faults.ts'
import { list, question, refuseUnknown, selected, type Answer } from './lists.ts'
import type { Method } from './methods.ts'
import { map, text, texts, type Parameters } from './parameters.ts'
import type { Portal } from './portal.ts'
import { fieldOf, type Question, type Row, type Table } from './table.ts'

const DEALS = 2

/** A deal in the format of crm.deal.list: the same in capitals and as texts. */
const asText = (deal: Deal): Row => ({
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

function dealList(portal: Portal, parameters: Parameters): Answer {
  return list(portal.data.deals, question(parameters), {
    idName: 'ID',
    times: ['DATE_CREATE', 'DATE_MODIFY', 'MOVED_TIME', 'CLOSEDATE', 'BEGINDATE'],
    show: (row) => asText(row as Deal),
    isVisible: (row) => portal.sees('deal', row),
    present: (deal) => selected(asText(deal), parameters.select),
  })
}

function dealGet(portal: Portal, parameters: Parameters): Answer {
  const deal = portal.data.deals.get(parameters.id)
  if (!deal || !portal.sees('deal', deal)) throw notFound()
  return { result: asText(deal) }
}

const notFound = () => new PortalError(400, '', 'Not found')

function itemList(portal: Portal, parameters: Parameters): Answer {
  refuseOtherTypes(parameters)
  const asked = question(parameters)
  refuseUnknown(asked.filter, DEAL_FIELDS)
  const { result, ...counts } = list(portal.data.deals, withoutTimes(portal, asked), {
    idName: 'id',
    times: DEAL_TIMES,
    isVisible: (row) => portal.tellsHiddenItems || portal.sees('deal', row),
    present: (deal) => (portal.sees('deal', deal) ? selected(deal, parameters.select) : []),
  })
  return { result: { items: result }, ...counts }
}

/** Some portals ignore times in ISO 8601. */
function withoutTimes(portal: Portal, asked: Question): Question {
  if (!portal.ignoresIsoFilter) return asked
  const kept = Object.entries(asked.filter).filter(
    ([key, value]) => !DEAL_TIMES.includes(fieldOf(key)) || !/T\d\d:/.test(text(value) ?? ''),
  )
  return { ...asked, filter: Object.fromEntries(kept) }
}

function itemGet(portal: Portal, parameters: Parameters): Answer {
  refuseOtherTypes(parameters)
  const deal = portal.data.deals.get(parameters.id)
  if (!deal || !portal.sees('deal', deal)) throw new PortalError(400, 'NOT_FOUND', 'Element not found')
  return { result: { item: deal } }
}

function refuseOtherTypes({ entityTypeId }: Parameters): void {
  if (Number(entityTypeId) !== DEALS) throw new PortalError(400, 'NOT_FOUND', 'SPA not found')
}

function stageHistory(portal: Portal, parameters: Parameters): Answer {
  refuseOtherTypes(parameters)
  const { result, ...counts } = list(portal.data.stageHistory, question(parameters), {
    idName: 'ID',
    times: ['CREATED_TIME'],
    isVisible: (row) => portal.sees('deal', { id: row.OWNER_ID }),
    present: (row) => selected(row, parameters.select),
  })
  return { result: { items: result }, ...counts }
}

const people =
  (kind: 'contacts' | 'companies'): Method =>
  (portal, parameters) =>
    list(portal.data[kind], question(parameters), {
      idName: 'ID',
      times: ['DATE_MODIFY'],
      present: (row) => selected(row, parameters.select, ['PHONE']),
    })

function findByPhone(portal: Portal, parameters: Parameters): Answer {
  const digits = (value: unknown) => (text(value) ?? '').replaceAll(/\D/g, '')
  const wanted = new Set(texts(parameters.values).map(digits))
  if (wanted.size > 20) throw new PortalError(400, '', 'Too many values')
  const idsOf = (table: Table) =>
    table.rows
      .filter(({ PHONE }) => (PHONE as { VALUE: string }[]).some(({ VALUE }) => wanted.has(digits(VALUE))))
      .map(({ ID }) => Number(ID))
      .slice(0, 20)
  const found: Record<string, number[]> = {
    CONTACT: idsOf(portal.data.contacts),
    COMPANY: idsOf(portal.data.companies),
  }
  const only = text(parameters.entity_type)
  const kept = Object.entries(found).filter(([type, ids]) => ids.length > 0 && (!only || only === type))
  return { result: kept.length === 0 ? [] : Object.fromEntries(kept) }
}

function activityList(portal: Portal, parameters: Parameters): Answer {
  const { filter, ...asked } = question(parameters)
  const { BINDINGS, ...rest } = filter
  const pairs = (Array.isArray(BINDINGS) ? BINDINGS : []).map(map)
  const isBound = (row: Row) =>
    BINDINGS === undefined ||
    pairs.some(({ OWNER_TYPE_ID, OWNER_ID }) =>
      (row.bindings as Binding[]).some(
        ({ entityTypeId, entityId }) => entityTypeId === Number(OWNER_TYPE_ID) && entityId === Number(OWNER_ID),
      ),
    )
  return list(
    portal.data.activities,
    { ...asked, filter: rest },
    {
      idName: 'ID',
      times: ['CREATED'],
      isVisible: isBound,
      present: ({ bindings, ...row }) => {
        const [owner] = bindings as Binding[]
        return selected(
          { ...row, OWNER_TYPE_ID: String(owner?.entityTypeId ?? 0), OWNER_ID: String(owner?.entityId ?? 0) },
          parameters.select,
        )
      },
    },
  )
}

function bindings(portal: Portal, parameters: Parameters): Answer {
  const activity = portal.data.activities.get(parameters.activityId)
  if (!activity) throw notFound()
  return { result: activity.bindings }
}

function categories(portal: Portal, parameters: Parameters): Answer {
  refuseOtherTypes(parameters)
  return { result: { categories: portal.data.funnels.rows }, total: portal.data.funnels.rows.length }
}

export const crmMethods: Record<string, Method> = {
  'crm.deal.list': dealList,
  'crm.deal.get': dealGet,
  'crm.item.list': itemList,
  'crm.item.get': itemGet,
  'crm.stagehistory.list': stageHistory,
  'crm.category.list': categories,
  'crm.status.list': (portal, parameters) => list(portal.data.stages, question(parameters), { idName: 'ID' }),
  'crm.contact.list': people('contacts'),
  'crm.company.list': people('companies'),
  'crm.duplicate.findbycomm': findByPhone,
  'crm.activity.list': activityList,
  'crm.activity.binding.list': bindings,
}
