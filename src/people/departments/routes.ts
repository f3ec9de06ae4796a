import { personOf } from '../../platform/http/actor.ts'
import { respondCreated, route, type Route } from '../../platform/http/route.ts'
import * as operations from './schema.ts'
import {
  changeDepartment,
  createDepartment,
  deleteDepartment,
  listDepartments,
  loadVisibleDepartment,
} from './service.ts'

export const departmentRoutes: Route[] = [
  route(operations.listDepartments, ({ core, actor, query }) => listDepartments(core, personOf(actor), query)),

  route(operations.readDepartment, ({ core, actor, id }) => loadVisibleDepartment(core, personOf(actor), id)),

  route(operations.createDepartment, async ({ ctx, core, actor, body }) =>
    respondCreated(ctx, '/v1/departments', await createDepartment(core, actor, body)),
  ),

  route(operations.changeDepartment, ({ core, actor, id, body }) => changeDepartment(core, actor, id, body)),

  route(operations.deleteDepartment, async ({ ctx, core, actor, id }) => {
    await deleteDepartment(core, actor, id)
    ctx.status = 204
  }),
]
