import type { TestPortal } from './portal.ts'
import { crmPortalMethods } from './methods-crm.ts'
import { timelinePortalMethods } from './methods-timeline.ts'
import { PORTAL_ERRORS, PortalError } from './faults.ts'
import { listPortalRows, parsePortalListQuery, selectPortalFields, type PortalMethodResult } from './lists.ts'
import { parseParameterMap, parseParameterText, type PhpParameters } from './parameters.ts'

/** A webhook of the test portal, which identifies the caller. */
export interface TestPortalWebhook {
  userId: number
  code: string
  scopes: string[]
  /** An expired and a removed webhook get different errors. */
  state: 'valid' | 'expired' | 'removed'
}

/**
 * Implements a method of the test portal.
 * @throws PortalError if it rejects the request
 */
export type PortalMethod = (
  portal: TestPortal,
  parameters: PhpParameters,
  hook: TestPortalWebhook,
) => PortalMethodResult

/** Lists the scopes of a method, one of which the webhook needs. Methods with an empty list need none. */
export const listMethodScopes = (method: string): string[] => {
  if (method.startsWith('crm.')) return ['crm']
  if (method.startsWith('voximplant.')) return ['telephony']
  if (method.startsWith('disk.')) return ['disk']
  if (method.startsWith('department.')) return ['department']
  return method === 'user.get' ? ['user_basic', 'user'] : []
}

export const PORTAL_METHODS: Record<string, PortalMethod> = {
  scope: (_portal, _parameters, hook) => ({ result: hook.scopes }),
  profile: (portal, _, hook) => {
    const { NAME, LAST_NAME } = portal.data.users.get(hook.userId) ?? {}
    return { result: { ID: String(hook.userId), ADMIN: true, NAME, LAST_NAME, PERSONAL_GENDER: '', TIME_ZONE: '' } }
  },
  'method.get': (portal, parameters) => {
    const name = parseParameterText(parameters.name) ?? ''
    const isExisting = name in PORTAL_METHODS && !portal.missingMethods.has(name)
    return { result: { isExisting, isAvailable: isExisting } }
  },
  'server.time': (portal) => ({ result: portal.data.time() }),
  'user.get': listUsers,
  'department.get': (portal, parameters) =>
    listPortalRows(portal.data.departments, parsePortalListQuery(parameters), { idName: 'ID' }),
  'voximplant.statistic.get': listCalls,
  'disk.file.get': findFile,
  ...crmPortalMethods,
  ...timelinePortalMethods,
}

function listUsers(portal: TestPortal, parameters: PhpParameters): PortalMethodResult {
  const { filter, start } = parsePortalListQuery(parameters)
  const listQuery = {
    filter: parseParameterMap(parameters.FILTER ?? filter),
    start,
    order: ['ID', parseDirection(parameters.order)] as const,
  }
  return listPortalRows(portal.data.users, listQuery, {
    idName: 'ID',
    show: (row) => ({ ...row, ACTIVE: row.ACTIVE ? 'true' : 'false' }),
    isVisible: (row) => portal.sees('user', row),
    present: (row) => selectPortalFields(row, parameters.select),
  })
}

const parseDirection = (order: unknown): 'ASC' | 'DESC' =>
  parseParameterText(order)?.toUpperCase() === 'DESC' ? 'DESC' : 'ASC'

/** Filter fields of calls; other fields are ignored. */
const CALL_FIELDS = (
  'ID CALL_ID CALL_TYPE CALL_DURATION CALL_START_DATE CALL_FAILED_CODE CALL_CATEGORY PORTAL_USER_ID PORTAL_NUMBER ' +
  'PHONE_NUMBER COST COST_CURRENCY SESSION_ID REST_APP_ID CRM_ENTITY_TYPE CRM_ENTITY_ID CRM_ACTIVITY_ID'
).split(' ')

function listCalls(portal: TestPortal, parameters: PhpParameters, hook: TestPortalWebhook): PortalMethodResult {
  if (portal.statisticsRights === 'none') throw PORTAL_ERRORS.denied
  const filter = {
    ...parseParameterMap(parameters.FILTER ?? (portal.readsLowerCaseFilter ? parameters.filter : undefined)),
  }
  if (portal.statisticsRights === 'own') filter.PORTAL_USER_ID = String(hook.userId)
  const sort = parseParameterText(parameters.SORT) ?? 'ID'
  const direction = parseParameterText(parameters.ORDER) ?? portal.statisticsOrder
  const order = [CALL_FIELDS.includes(sort) ? sort : 'ID', direction === 'ASC' ? 'ASC' : 'DESC'] as const
  return listPortalRows(
    portal.data.calls,
    { filter, start: Number(parseParameterText(parameters.start) ?? 0) || 0, order },
    {
      idName: 'ID',
      fields: CALL_FIELDS,
      times: ['CALL_START_DATE'],
      isVisible: (row) => portal.sees('call', row),
    },
  )
}

/** The address of a file contains the secret of the webhook, like in Bitrix24. */
function findFile(portal: TestPortal, parameters: PhpParameters, hook: TestPortalWebhook): PortalMethodResult {
  const file = portal.data.files.get(parameters.id)
  if (!file)
    throw new PortalError(
      400,
      'ERROR_NOT_FOUND',
      `Could not find entity with id '${parseParameterText(parameters.id)}'.`,
    )
  const { ID, NAME, content, version, updatedAt, isTrashed } = file
  const token = encodeURIComponent(`disk|${Buffer.from(`id=${ID}`).toString('base64')}|${hook.code}`)
  return {
    result: {
      ID,
      NAME,
      CODE: null,
      STORAGE_ID: '1',
      TYPE: 'file',
      PARENT_ID: '7',
      DELETED_TYPE: isTrashed ? '3' : '0',
      CREATE_TIME: updatedAt,
      UPDATE_TIME: updatedAt,
      GLOBAL_CONTENT_VERSION: String(version),
      FILE_ID: Number(ID) + 100_000,
      SIZE: String(content.length),
      DOWNLOAD_URL: `${portal.url}/rest/${hook.userId}/${hook.code}/download/?token=${token}`,
      DETAIL_URL: `${portal.url}/company/personal/user/1/disk/file/${NAME}`,
    },
  }
}
