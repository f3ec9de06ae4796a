import { ApiError, refusal } from '../frame/api-client.ts'
import { seeOther, type PageContext, type Route } from '../frame/context.ts'
import { readFields } from '../frame/fields.ts'
import { formWithErrors } from '../frame/form.ts'
import { answerRecording } from './answer.ts'
import { apiPath } from './asked.ts'
import { pageOfCall } from './list.ts'

export const recordingDealRoutes: Route[] = [{ method: 'post', path: '/recordings/:id/deals', handle: choose }]

async function choose(context: PageContext): Promise<void> {
  const { ctx, api } = context
  const fields = await readFields(ctx)
  const typed = fields.text('dealIds').split(/[\s,;]+/)
  const dealIds = [...new Set([...fields.all('deal'), ...typed].filter(Boolean))]
  const answer = await api.send('PUT', `${apiPath(context)}/deals`, { dealIds }).catch(refusal(400))
  if (!(answer instanceof ApiError))
    return seeOther(ctx, pageOfCall(ctx), context.language.words.recording.deals.chosen)
  ctx.status = 400
  await answerRecording(context, { refusedDeals: formWithErrors(answer, fields, ['dealIds'], context.language) })
}
