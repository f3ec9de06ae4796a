import { requirePerson } from '../../platform/http/actor.ts'
import { route, type Route } from '../../platform/http/route.ts'
import * as operations from './schema.ts'
import { acknowledgeAssignment, createAssignment, deleteAssignment, listAssignments } from './service.ts'

export const assignmentRoutes: Route[] = [
  route(operations.listAssignmentsOperation, ({ core, actor, query }) =>
    listAssignments(core, requirePerson(actor), query),
  ),

  route(operations.createAssignmentOperation, async ({ ctx, core, actor, body }) => {
    ctx.status = 201
    return createAssignment(core, requirePerson(actor), body)
  }),

  route(operations.acknowledgeAssignmentOperation, ({ core, actor, id }) =>
    acknowledgeAssignment(core, requirePerson(actor), id),
  ),

  route(operations.deleteAssignmentOperation, async ({ ctx, core, actor, id }) => {
    await deleteAssignment(core, requirePerson(actor), id)
    ctx.status = 204
  }),
]
