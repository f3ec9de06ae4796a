import type { IngestionJson } from '../../calls/ingestion/schema.ts'
import { readFields } from '../frame/fields.ts'
import { redirect, type PageContext } from '../frame/context.ts'
import type { Language } from '../frame/i18n.ts'

/** Pauses the ingestion of files, or lets it go on. */
export async function changeIngestion(context: PageContext, paused: boolean): Promise<void> {
  await readFields(context.ctx)
  await context.api.send('PUT', '/v1/ingestion', { paused })
  redirect(context.ctx, '/system')
}

/** The ingestion of files as a row of the parts; undefined where no folder is watched. */
export function ingestionView({ prefix, paused, ...state }: IngestionJson, language: Language) {
  if (prefix === null) return undefined
  const { words, format } = language
  const t = words.system.ingestion
  const { lastRunAt, found, registered, failed, lastError } = state
  const hasFailed = failed > 0 || lastError !== null
  return {
    name: t.name,
    badge: paused
      ? { kind: 'queued', text: t.paused }
      : { kind: hasFailed ? 'failed' : 'done', text: hasFailed ? t.failing : t.on },
    version: '—',
    details: [
      t.from(prefix),
      lastRunAt === null ? t.never : t.found(format.number(found), format.number(registered)),
      failed > 0 && t.failed(failed, format.number(failed)),
      lastRunAt !== null && t.last(format.shortTime(lastRunAt)),
    ]
      .filter(Boolean)
      .join(' · '),
    error: lastError === null ? null : lastError,
    act: paused ? { verb: 'resume', text: t.resume } : { verb: 'pause', text: t.pause },
  }
}
