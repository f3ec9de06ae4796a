import { loadAgent } from './speakers.ts'
import { conflictError } from '../../platform/errors.ts'
import { route, type Route } from '../../platform/http/route.ts'
import { presentTranscript } from '../recordings/present.ts'
import { loadVisibleRecording } from '../recordings/service.ts'
import { addTranscriptWordTimes } from './word-times.ts'
import { listTranscripts as listTranscriptPage } from './transcript-pages.ts'
import { exportTranscripts as makeExport } from './export.ts'
import { sliceTranscriptSegments, TRANSCRIPT_TEXT_FORMATS, getSpeakerNames } from './present.ts'
import { exportTranscriptsOperation, listTranscriptsOperation, readTranscriptOperation } from './schema.ts'
import { transcriptMessages } from './messages.ts'
import { toBilingualCode } from '../../platform/lib/messages.ts'
import { RECORDING_STATUS_NAMES } from '../recordings/messages.ts'

export const transcriptRoutes: Route[] = [
  route(readTranscriptOperation, async ({ ctx, core, actor, id, query }) => {
    const { format, speakers, words, firstSegment, segments } = query
    const row = await loadVisibleRecording(core, actor, id)
    const transcript = presentTranscript(row)
    if (!transcript)
      throw conflictError(transcriptMessages.notReady({ status: toBilingualCode(row.status, RECORDING_STATUS_NAMES) }))
    if (format === 'json') {
      const fullTranscript = words ? await addTranscriptWordTimes(core, id, transcript) : transcript
      return sliceTranscriptSegments(fullTranscript, firstSegment, segments)
    }
    const { type, namesIn, write } = TRANSCRIPT_TEXT_FORMATS[format]
    ctx.type = type
    ctx.set('Content-Disposition', `attachment; filename="${id}.${format}"`)
    const language = speakers ?? namesIn
    const speakerNames = language && getSpeakerNames(transcript, await loadAgent(core.pool, id), language)
    return write(transcript, row.durationSeconds ?? Infinity, speakerNames)
  }),

  route(listTranscriptsOperation, ({ core, actor, query }) => listTranscriptPage(core, actor, query)),

  route(exportTranscriptsOperation, async ({ ctx, core, actor, query }) => {
    const { matching, exported, fileName, type, content } = await makeExport(core, actor, query)
    ctx.type = type
    ctx.set({
      'X-Transcripts-Matching': String(matching),
      'X-Transcripts-Exported': String(exported),
      'Content-Disposition': `attachment; filename="${fileName}"`,
    })
    // Compression would slow the export down, and clients can choose zip.
    ctx.compress = false
    return content
  }),
]
