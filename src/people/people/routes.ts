import { personOf } from '../../platform/http/actor.ts'
import { respondCreated, route, type Route } from '../../platform/http/route.ts'
import { presentPerson } from './present.ts'
import * as operations from './schema.ts'
import { changePerson, createPerson, listPeople, loadVisiblePerson } from './service.ts'

export const peopleRoutes: Route[] = [
  route(operations.listPeopleOperation, async ({ core, actor, query }) => {
    const page = await listPeople(core, personOf(actor), query)
    return { ...page, items: page.items.map(presentPerson) }
  }),

  route(operations.readPersonOperation, async ({ core, actor, id }) =>
    presentPerson(await loadVisiblePerson(core, personOf(actor), id)),
  ),

  route(operations.createPersonOperation, async ({ ctx, core, actor, body }) =>
    respondCreated(ctx, '/v1/people', presentPerson(await createPerson(core, actor, body))),
  ),

  route(operations.changePersonOperation, async ({ core, actor, id, body }) =>
    presentPerson(await changePerson(core, actor, id, body)),
  ),

  route(operations.deactivatePersonOperation, async ({ core, actor, id }) =>
    presentPerson(await changePerson(core, actor, id, { active: false })),
  ),
]
