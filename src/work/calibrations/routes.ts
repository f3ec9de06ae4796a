import { requirePerson } from '../../platform/http/actor.ts'
import { respondCreated, route, type Route } from '../../platform/http/route.ts'
import { createCalibration } from './create.ts'
import { loadCalibrationCall, judgeCalibrationRule, submitCalibration } from './judging.ts'
import { deleteCalibration, listCalibrations, loadCalibrationWithCalls } from './service.ts'
import * as operations from './operations.ts'
import { listCalibrationPeople } from './people.ts'
import { loadCalibrationResults } from './results.ts'

export const calibrationRoutes: Route[] = [
  route(operations.listCalibrationsOperation, ({ core, actor, query }) =>
    listCalibrations(core, requirePerson(actor), query),
  ),

  route(operations.listCalibrationPeopleOperation, ({ core, actor }) =>
    listCalibrationPeople(core, requirePerson(actor)),
  ),

  route(operations.createCalibrationOperation, async ({ ctx, core, actor, body }) =>
    respondCreated(ctx, '/v1/calibrations', await createCalibration(core, requirePerson(actor), body)),
  ),

  route(operations.readCalibrationOperation, ({ core, actor, id }) =>
    loadCalibrationWithCalls(core, requirePerson(actor), id),
  ),

  route(operations.deleteCalibrationOperation, async ({ ctx, core, actor, id }) => {
    await deleteCalibration(core, requirePerson(actor), id)
    ctx.status = 204
  }),

  route(operations.readCalibrationCallOperation, ({ ctx, core, actor, id }) =>
    loadCalibrationCall(core, requirePerson(actor), id, ctx.params.callId),
  ),

  route(operations.judgeCalibrationRuleOperation, ({ ctx, core, actor, id, body }) =>
    judgeCalibrationRule(core, requirePerson(actor), id, ctx.params.ruleId, body),
  ),

  route(operations.submitCalibrationOperation, ({ core, actor, id }) =>
    submitCalibration(core, requirePerson(actor), id),
  ),

  route(operations.readCalibrationResultsOperation, ({ core, actor, id, query }) =>
    loadCalibrationResults(core, requirePerson(actor), id, query),
  ),
]
