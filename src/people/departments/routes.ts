import { personOf } from '../../platform/http/actor.ts'
import { route, type Route } from '../../platform/http/route.ts'
import * as operations from './schema.ts'
import { changeDepartment, createDepartment, deleteDepartment, listDepartments, readDepartment } from './service.ts'

export const departmentRoutes: Route[] = [
  route(operations.listDepartments, async ({ ctx, core, actor, query }) => {
    ctx.body = await listDepartments(core, personOf(actor), query)
  }),

  route(operations.readDepartment, async ({ ctx, core, actor, id }) => {
    ctx.body = await readDepartment(core, personOf(actor), id)
  }),

  route(operations.createDepartment, async ({ ctx, core, actor, body }) => {
    const department = await createDepartment(core, actor, body)
    ctx.status = 201
    ctx.set('Location', `/v1/departments/${department.id}`)
    ctx.body = department
  }),

  route(operations.changeDepartment, async ({ ctx, core, actor, id, body }) => {
    ctx.body = await changeDepartment(core, actor, id, body)
  }),

  route(operations.deleteDepartment, async ({ ctx, core, actor, id }) => {
    await deleteDepartment(core, actor, id)
    ctx.status = 204
  }),
]
