import { PortalError } from './faults.ts'
import { list, question, selected } from './lists.ts'
import type { Method } from './methods.ts'
import { map, text, type Parameters } from './parameters.ts'
import type { Portal } from './portal.ts'

const INVALID = 'INVALID_ARG_VALUE'

function entityOf(portal: Portal, fields: Parameters): { ENTITY_ID: string; ENTITY_TYPE: string } {
  const [ENTITY_ID = '', ENTITY_TYPE = ''] = [text(fields.ENTITY_ID), text(fields.ENTITY_TYPE)?.toLowerCase()]
  if (ENTITY_TYPE !== 'deal') throw new PortalError(400, INVALID, 'Wrong entity type')
  const deal = portal.data.deals.get(ENTITY_ID)
  if (!deal || !portal.sees('deal', deal)) throw new PortalError(400, 'OWNER_NOT_FOUND', 'Owner was not found')
  return { ENTITY_ID, ENTITY_TYPE }
}

const add: Method = (portal, parameters, hook) => {
  const fields = map(parameters.fields)
  const COMMENT = text(fields.COMMENT) ?? ''
  const entity = entityOf(portal, fields)
  if (COMMENT.trim() === '') throw new PortalError(400, INVALID, 'Empty comment message')
  const ID = portal.data.comments.nextId()
  const author = { CREATED: portal.data.time(), AUTHOR_ID: String(hook.userId) }
  portal.data.comments.add({ ID: String(ID), ...entity, ...author, COMMENT })
  return { result: ID }
}

function commentOf(portal: Portal, parameters: Parameters) {
  const comment = portal.data.comments.get(parameters.id)
  if (!comment) throw new PortalError(400, 'NOT_FOUND', 'Comment not found')
  return comment
}

const update: Method = (portal, parameters) => {
  const comment = commentOf(portal, parameters)
  const COMMENT = text(map(parameters.fields).COMMENT) ?? ''
  if (COMMENT.trim() === '') throw new PortalError(400, INVALID, 'Empty comment message')
  comment.COMMENT = COMMENT
  return { result: Number(comment.ID) }
}

const remove: Method = (portal, parameters) => {
  const { ID } = commentOf(portal, parameters)
  portal.data.comments.remove(Number(ID))
  return { result: true }
}

const comments: Method = (portal, parameters) => {
  const asked = question(parameters)
  entityOf(portal, asked.filter)
  return list(portal.data.comments, asked, {
    idName: 'ID',
    times: ['CREATED'],
    present: (row) => selected(row, parameters.select),
  })
}

export const timelineMethods: Record<string, Method> = {
  'crm.timeline.comment.add': add,
  'crm.timeline.comment.update': update,
  'crm.timeline.comment.delete': remove,
  'crm.timeline.comment.list': comments,
  'crm.timeline.comment.get': (portal, parameters) => ({ result: commentOf(portal, parameters) }),
}
