import { personOf } from '../../platform/http/actor.ts'
import { route, type Route } from '../../platform/http/route.ts'
import { presentPerson } from './present.ts'
import * as operations from './schema.ts'
import { changePerson, createPerson, listPeople, readPerson } from './service.ts'

export const peopleRoutes: Route[] = [
  route(operations.listPeople, async ({ ctx, core, actor, query }) => {
    const page = await listPeople(core, personOf(actor), query)
    ctx.body = { ...page, items: page.items.map(presentPerson) }
  }),

  route(operations.readPerson, async ({ ctx, core, actor, id }) => {
    ctx.body = presentPerson(await readPerson(core, personOf(actor), id))
  }),

  route(operations.createPerson, async ({ ctx, core, actor, body }) => {
    const person = await createPerson(core, actor, body)
    ctx.status = 201
    ctx.set('Location', `/v1/people/${person.id}`)
    ctx.body = presentPerson(person)
  }),

  route(operations.changePerson, async ({ ctx, core, actor, id, body }) => {
    ctx.body = presentPerson(await changePerson(core, actor, id, body))
  }),

  route(operations.deactivatePerson, async ({ ctx, core, actor, id }) => {
    ctx.body = presentPerson(await changePerson(core, actor, id, { active: false }))
  }),
]
