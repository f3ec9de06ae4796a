import { conflict } from '../errors.ts'
import { route, type Route } from '../http/route.ts'
import { presentTranscript } from '../recordings/present.ts'
import { findRow } from '../recordings/service.ts'
import { TEXT_FORMATS } from './present.ts'
import { readTranscript } from './schema.ts'

export const transcriptRoutes: Route[] = [
  route(readTranscript, async ({ ctx, core, actor, id, query: { format } }) => {
    const row = await findRow(core, actor, id)
    const transcript = presentTranscript(row)
    if (!transcript) throw conflict(`The transcript is not ready: the recording is ${row.status}`)
    if (format === 'json') {
      ctx.body = transcript
      return
    }
    const { type, write } = TEXT_FORMATS[format]
    ctx.type = type
    ctx.set('Content-Disposition', `attachment; filename="${id}.${format}"`)
    ctx.body = write(transcript)
  }),
]
