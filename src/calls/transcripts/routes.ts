import { loadSpeakers } from './speakers.ts'
import { conflict } from '../../platform/errors.ts'
import { route, type Route } from '../../platform/http/route.ts'
import { presentTranscript } from '../recordings/present.ts'
import { findRow } from '../recordings/service.ts'
import { withWords } from './words.ts'
import { listTranscripts as readPage } from './bulk.ts'
import { exportTranscripts as makeExport } from './export.ts'
import { someSegments, TEXT_FORMATS, voicesOf } from './present.ts'
import { exportTranscripts, listTranscripts, readTranscript } from './schema.ts'
import { transcriptMessages } from './messages.ts'
import { named } from '../../platform/lib/messages.ts'
import { STATUS_NAMES } from '../recordings/messages.ts'

export const transcriptRoutes: Route[] = [
  route(readTranscript, async ({ ctx, core, actor, id, query }) => {
    const { format, speakers, words, firstSegment, segments } = query
    const row = await findRow(core, actor, id)
    const transcript = presentTranscript(row)
    if (!transcript) throw conflict(transcriptMessages.notReady({ status: named(row.status, STATUS_NAMES) }))
    if (format === 'json') {
      const whole = words ? await withWords(core, id, transcript) : transcript
      return someSegments(whole, firstSegment, segments)
    }
    const { type, namesIn, write } = TEXT_FORMATS[format]
    ctx.type = type
    ctx.set('Content-Disposition', `attachment; filename="${id}.${format}"`)
    const language = speakers ?? namesIn
    const voices = language && voicesOf(transcript, (await loadSpeakers(core.pool, actor, id)).agentChannel, language)
    return write(transcript, row.durationSeconds ?? Infinity, voices)
  }),

  route(listTranscripts, ({ core, actor, query }) => readPage(core, actor, query)),

  route(exportTranscripts, async ({ ctx, core, actor, query }) => {
    const { matching, exported, fileName, type, content } = await makeExport(core, actor, query)
    ctx.type = type
    ctx.set({
      'X-Transcripts-Matching': String(matching),
      'X-Transcripts-Exported': String(exported),
      'Content-Disposition': `attachment; filename="${fileName}"`,
    })
    // Compression would slow it down; clients can choose zip.
    ctx.compress = false
    return content
  }),
]
