import { route, type Route } from '../../platform/http/route.ts'
import { changeWriting, previewComment, readWriting } from './schema.ts'
import * as service from './service.ts'

export const crmCommentRoutes: Route[] = [
  route(readWriting, ({ core }) => service.describeWriting(core)),

  route(changeWriting, ({ core, actor, body }) => service.changeWriting(core, actor, body.on)),

  route(previewComment, ({ core, query }) => service.previewOf(core, query.recordingId)),
]
