import { PortalError } from './faults.ts'
import { listPortalRows, parsePortalListQuery, selectPortalFields } from './lists.ts'
import type { PortalMethod } from './methods.ts'
import { parseParameterMap, parseParameterText, type PhpParameters } from './parameters.ts'
import type { TestPortal } from './portal.ts'

const INVALID_ARGUMENT = 'INVALID_ARG_VALUE'

function parseEntity(portal: TestPortal, fields: PhpParameters): { ENTITY_ID: string; ENTITY_TYPE: string } {
  const [ENTITY_ID = '', ENTITY_TYPE = ''] = [
    parseParameterText(fields.ENTITY_ID),
    parseParameterText(fields.ENTITY_TYPE)?.toLowerCase(),
  ]
  if (ENTITY_TYPE !== 'deal') throw new PortalError(400, INVALID_ARGUMENT, 'Wrong entity type')
  const deal = portal.data.deals.get(ENTITY_ID)
  if (!deal || !portal.sees('deal', deal)) throw new PortalError(400, 'OWNER_NOT_FOUND', 'Owner was not found')
  return { ENTITY_ID, ENTITY_TYPE }
}

const addComment: PortalMethod = (portal, parameters, hook) => {
  const fields = parseParameterMap(parameters.fields)
  const COMMENT = parseParameterText(fields.COMMENT) ?? ''
  const entity = parseEntity(portal, fields)
  if (COMMENT.trim() === '') throw new PortalError(400, INVALID_ARGUMENT, 'Empty comment message')
  const ID = portal.data.comments.nextId()
  const author = { CREATED: portal.data.time(), AUTHOR_ID: String(hook.userId) }
  portal.data.comments.add({ ID: String(ID), ...entity, ...author, COMMENT })
  return { result: ID }
}

function findComment(portal: TestPortal, parameters: PhpParameters) {
  const comment = portal.data.comments.get(parameters.id)
  if (!comment) throw new PortalError(400, 'NOT_FOUND', 'Comment not found')
  return comment
}

const updateComment: PortalMethod = (portal, parameters) => {
  const comment = findComment(portal, parameters)
  const COMMENT = parseParameterText(parseParameterMap(parameters.fields).COMMENT) ?? ''
  if (COMMENT.trim() === '') throw new PortalError(400, INVALID_ARGUMENT, 'Empty comment message')
  comment.COMMENT = COMMENT
  return { result: Number(comment.ID) }
}

const deleteComment: PortalMethod = (portal, parameters) => {
  const { ID } = findComment(portal, parameters)
  portal.data.comments.remove(Number(ID))
  return { result: true }
}

const listComments: PortalMethod = (portal, parameters) => {
  const listQuery = parsePortalListQuery(parameters)
  parseEntity(portal, listQuery.filter)
  return listPortalRows(portal.data.comments, listQuery, {
    idName: 'ID',
    times: ['CREATED'],
    present: (row) => selectPortalFields(row, parameters.select),
  })
}

export const timelinePortalMethods: Record<string, PortalMethod> = {
  'crm.timeline.comment.add': addComment,
  'crm.timeline.comment.update': updateComment,
  'crm.timeline.comment.delete': deleteComment,
  'crm.timeline.comment.list': listComments,
  'crm.timeline.comment.get': (portal, parameters) => ({ result: findComment(portal, parameters) }),
}
