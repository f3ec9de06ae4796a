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
  route(operations.listDepartmentsOperation, ({ core, actor, query }) => listDepartments(core, personOf(actor), query)),

  route(operations.readDepartmentOperation, ({ core, actor, id }) => loadVisibleDepartment(core, personOf(actor), id)),

  route(operations.createDepartmentOperation, async ({ ctx, core, actor, body }) =>
    respondCreated(ctx, '/v1/departments', await createDepartment(core, actor, body)),
  ),

  route(operations.changeDepartmentOperation, ({ core, actor, id, body }) => changeDepartment(core, actor, id, body)),

  route(operations.deleteDepartmentOperation, async ({ ctx, core, actor, id }) => {
    await deleteDepartment(core, actor, id)
    ctx.status = 204
  }),
]
