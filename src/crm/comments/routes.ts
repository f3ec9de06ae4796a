import { route, type Route } from '../../platform/http/route.ts'
import { changeWriting, previewComment, readWriting } from './schema.ts'
import * as service from './service.ts'

export const crmCommentRoutes: Route[] = [
  route(readWriting, async ({ ctx, core }) => {
    ctx.body = await service.describeWriting(core)
  }),

  route(changeWriting, async ({ ctx, core, actor, body }) => {
    ctx.body = await service.changeWriting(core, actor, body.on)
  }),

  route(previewComment, async ({ ctx, core, query }) => {
    ctx.body = await service.previewOf(core, query.recordingId)
  }),
]
