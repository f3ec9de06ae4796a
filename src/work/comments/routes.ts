import { requirePerson } from '../../platform/http/actor.ts'
import { route, type Route } from '../../platform/http/route.ts'
import { listMentionablePeople } from './people.ts'
import * as operations from './schema.ts'
import { changeComment, createComment, deleteComment, listComments } from './service.ts'

export const commentRoutes: Route[] = [
  route(operations.listCommentsOperation, ({ core, actor, id }) => listComments(core, requirePerson(actor), id)),

  route(operations.createCommentOperation, async ({ ctx, core, actor, id, body }) => {
    ctx.status = 201
    return createComment(core, requirePerson(actor), id, body)
  }),

  route(operations.changeCommentOperation, ({ ctx, core, actor, id, body }) =>
    changeComment(core, requirePerson(actor), id, ctx.params.commentId, body),
  ),

  route(operations.deleteCommentOperation, async ({ ctx, core, actor, id }) => {
    await deleteComment(core, requirePerson(actor), id, ctx.params.commentId)
    ctx.status = 204
  }),

  route(operations.listMentionablePeopleOperation, ({ core, actor, id }) =>
    listMentionablePeople(core, requirePerson(actor), id),
  ),
]
