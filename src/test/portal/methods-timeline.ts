import { PortalError } from './faults.ts'
import { listRows, parseListQuery, selectFields } from './lists.ts'
import type { Method } from './methods.ts'
import { parseMap, parseText, type Parameters } from './parameters.ts'
import type { Portal } from './portal.ts'

const INVALID_ARGUMENT = 'INVALID_ARG_VALUE'

function parseEntity(portal: Portal, fields: Parameters): { ENTITY_ID: string; ENTITY_TYPE: string } {
  const [ENTITY_ID = '', ENTITY_TYPE = ''] = [parseText(fields.ENTITY_ID), parseText(fields.ENTITY_TYPE)?.toLowerCase()]
  if (ENTITY_TYPE !== 'deal') throw new PortalError(400, INVALID_ARGUMENT, 'Wrong entity type')
  const deal = portal.data.deals.get(ENTITY_ID)
  if (!deal || !portal.sees('deal', deal)) throw new PortalError(400, 'OWNER_NOT_FOUND', 'Owner was not found')
  return { ENTITY_ID, ENTITY_TYPE }
}

const addComment: Method = (portal, parameters, hook) => {
  const fields = parseMap(parameters.fields)
  const COMMENT = parseText(fields.COMMENT) ?? ''
  const entity = parseEntity(portal, fields)
  if (COMMENT.trim() === '') throw new PortalError(400, INVALID_ARGUMENT, 'Empty comment message')
  const ID = portal.data.comments.nextId()
  const author = { CREATED: portal.data.time(), AUTHOR_ID: String(hook.userId) }
  portal.data.comments.add({ ID: String(ID), ...entity, ...author, COMMENT })
  return { result: ID }
}

function findComment(portal: Portal, parameters: Parameters) {
  const comment = portal.data.comments.get(parameters.id)
  if (!comment) throw new PortalError(400, 'NOT_FOUND', 'Comment not found')
  return comment
}

const updateComment: Method = (portal, parameters) => {
  const comment = findComment(portal, parameters)
  const COMMENT = parseText(parseMap(parameters.fields).COMMENT) ?? ''
  if (COMMENT.trim() === '') throw new PortalError(400, INVALID_ARGUMENT, 'Empty comment message')
  comment.COMMENT = COMMENT
  return { result: Number(comment.ID) }
}

const deleteComment: Method = (portal, parameters) => {
  const { ID } = findComment(portal, parameters)
  portal.data.comments.remove(Number(ID))
  return { result: true }
}

const listComments: Method = (portal, parameters) => {
  const listQuery = parseListQuery(parameters)
  parseEntity(portal, listQuery.filter)
  return listRows(portal.data.comments, listQuery, {
    idName: 'ID',
    times: ['CREATED'],
    present: (row) => selectFields(row, parameters.select),
  })
}

export const timelineMethods: Record<string, Method> = {
  'crm.timeline.comment.add': addComment,
  'crm.timeline.comment.update': updateComment,
  'crm.timeline.comment.delete': deleteComment,
  'crm.timeline.comment.list': listComments,
  'crm.timeline.comment.get': (portal, parameters) => ({ result: findComment(portal, parameters) }),
}
