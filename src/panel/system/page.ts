import type { systemStatusOperation as systemOperation } from '../../platform/http/system-schema.ts'
import type { ApiResponseBody } from '../frame/api-client.ts'
import type { IngestionJson } from '../../calls/ingestion/schema.ts'
import type { readTranscriptionQueueOperation } from '../../calls/transcription/schema.ts'
import { isPartialRefresh, renderPage, renderPageParts, type PageContext, redirect } from '../frame/context.ts'
import type { Language } from '../frame/i18n.ts'
import { isOwner, type Page, type Banner } from '../frame/page.ts'
import { systemWords } from './words.ts'
import { parsePostedForm } from '../frame/fields.ts'

export const systemPage: Page<'system', typeof systemWords> = {
  name: 'system',
  words: systemWords,
  menu: { href: '/system', title: systemWords.title, group: 'settings', for: isOwner },
  styles: ['system'],
  banners: fetchStorageBanners,
  routes: [
    { method: 'get', path: '/system', handle: showSystem },
    { method: 'post', path: '/system/intake/pause', handle: (context) => changeIngestion(context, true) },
    { method: 'post', path: '/system/intake/resume', handle: (context) => changeIngestion(context, false) },
  ],
}

type System = ApiResponseBody<typeof systemOperation>
type Queue = ApiResponseBody<typeof readTranscriptionQueueOperation>

async function showSystem(context: PageContext): Promise<void> {
  const state = await fetchState(context)
  const view = buildStateView(state, context)
  if (isPartialRefresh(context.ctx)) return renderPageParts(context, ['system/_state', '_counts'], view)
  await renderPage(context, 'system/index', { title: context.language.words.system.title, ...view })
}

async function fetchState({ api }: PageContext) {
  const [system, queue, ingestion] = await Promise.all([
    api.fetch<System>('/v1/system'),
    api.fetch<Queue>('/v1/queue'),
    api.fetch<IngestionJson>('/v1/ingestion'),
  ])
  return { system, queue, ingestion }
}

type PartState = 'up' | 'down' | 'ready' | 'loading' | 'failed' | 'draining'

const BADGES: Record<PartState, string> = {
  up: 'done',
  ready: 'done',
  loading: 'processing',
  draining: 'processing',
  failed: 'failed',
  down: 'failed',
}

/** Builds the live part of the page: the state of each part, the watched folder and the warnings. */
function buildStateView(
  { system, queue, ingestion }: Awaited<ReturnType<typeof fetchState>>,
  { panel, language }: PageContext,
) {
  const t = language.words.system
  const { version, releaseDate, commit, node, database, redis, storage } = system
  const joinFacts = (...facts: (string | false | null | undefined)[]) => facts.filter(Boolean).join(' · ')
  const buildPart = (name: keyof typeof t.parts, state: PartState, version: string, details: string) => ({
    name: t.parts[name],
    badge: { kind: BADGES[state], text: t.states[state] },
    version,
    details,
  })
  const findStoreState = (version: unknown): PartState => (version === null ? 'down' : 'up')
  const parts = [
    buildPart(
      'service',
      'up',
      version,
      joinFacts(
        t.released(language.format.day(releaseDate)),
        t.commit(commit),
        `Node.js ${node}`,
        t.timeZone(panel.config.APP_TIMEZONE),
      ),
    ),
    buildRecognizerPart(system, queue, language, buildPart),
    buildPart(
      'database',
      findStoreState(database.version),
      formatPostgresVersion(database.version),
      joinFacts(database.schema && t.schema(database.schema)),
    ),
    buildPart(
      'store',
      findStoreState(redis.version),
      redis.version === null ? '—' : `Redis ${redis.version}`,
      joinFacts(
        redis.persistence !== null && t.persistence[redis.persistence],
        redis.evictionPolicy !== null && t.eviction(redis.evictionPolicy),
      ),
    ),
    buildPart(
      'storage',
      system.warningIds.some((id) => id.startsWith('storage.')) ? 'failed' : 'up',
      '—',
      joinFacts(
        t.storageKinds[storage.kind],
        storage.freeBytes !== null && t.free(language.format.size(storage.freeBytes)),
      ),
    ),
  ]
  const isReady = parts.every(({ badge }) => badge.kind === 'done')
  return {
    parts: [
      ...parts.slice(0, 2),
      ...buildRecognizerRows(system, language),
      ...parts.slice(2),
      ...buildEmailRow(system, language),
    ],
    ingestion: buildIngestionRow(ingestion, language),
    overall: { kind: isReady ? 'done' : 'failed', text: isReady ? t.overall.ready : t.overall.degraded },
    ...splitWarnings(system, language),
  }
}

const formatPostgresVersion = (version: string | null): string =>
  version === null ? '—' : `Postgres ${version.split(' ')[0]}`

type BuildPart<T> = (name: 'recognizer', state: PartState, version: string, details: string) => T

/** Describes the recognizer and its work, as reported by the transcription queue. */
function buildRecognizerPart<T>({ asr }: System, queue: Queue, language: Language, buildPart: BuildPart<T>): T {
  const { words, format } = language
  const t = words.system
  const model = [asr.model, asr.version].filter((fact) => fact !== null).join(' ')
  const problems = {
    ready: undefined,
    down: t.recognizerDown,
    loading: t.recognizerLoading,
    failed: t.recognizerFailed,
  }
  const { running, waiting, etaSeconds, paused } = queue
  const activities = [
    running > 0 && t.doing(running, format.number(running)),
    waiting > 0 && t.waiting(waiting, format.number(waiting)),
    waiting + running > 0 && etaSeconds !== null && !paused && t.emptyIn(etaSeconds),
    waiting + running === 0 && t.idle,
    paused && t.paused,
  ]
  const settings = [asr.precision, asr.decoder !== null && t.decoder(formatDecoder(asr.decoder, language))]
  const details = [problems[asr.status] ?? activities.filter(Boolean).join(', '), ...settings].filter(Boolean)
  return buildPart('recognizer', asr.status, model || '—', details.join(' · '))
}

/** Lists the state of each recognizer if there are several. The row of the recognizer above shows their best state. */
function buildRecognizerRows({ asr }: System, { words, format }: Language) {
  const t = words.system
  if (asr.recognizers.length < 2) return []
  return asr.recognizers.map(({ address, status, model, version, running, waiting, places }) => ({
    name: t.recognizerAt(address),
    badge: { kind: BADGES[status], text: t.states[status] },
    version: [model, version].filter((fact) => fact !== null).join(' ') || '—',
    details: [
      running !== null && t.slots(format.number(running), format.number(places)),
      waiting !== null && waiting > 0 && t.waiting(waiting, format.number(waiting)),
    ]
      .filter(Boolean)
      .join(' · '),
  }))
}

/** Shows the last failure of e-mails; no row without a mail server. Failed e-mails do not make the service degraded. */
function buildEmailRow({ email }: System, { words, format }: Language) {
  if (!email.on) return []
  const { name, on, lastFailure } = words.system.emails
  const last = email.lastFailure
  const details = last ? lastFailure(format.shortTime(last.at), last.reason) : ''
  return [{ name, badge: { kind: 'done', text: on }, version: '—', details }]
}

const formatDecoder = (decoder: string, { words }: Language): string => words.recordings.decoder[decoder] ?? decoder

async function changeIngestion(context: PageContext, paused: boolean): Promise<void> {
  await parsePostedForm(context.ctx)
  await context.api.send('PUT', '/v1/ingestion', { paused })
  redirect(context.ctx, '/system')
}

/** Describes the watched folder; undefined if no folder is watched. */
function buildIngestionRow({ prefix, paused, ...state }: IngestionJson, language: Language) {
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

interface Warnings {
  warnings: string[]
  warningIds: string[]
}

/** Separates warnings that need action from notes about demo data and reindexing. */
function splitWarnings(system: System, { words, format }: Language): { warnings: string[]; notes: string[] } {
  const { search } = system
  const reindexingNote = search && words.system.reindexing(format.number(search.indexed), format.number(search.total))
  return {
    warnings: system.warnings.filter((_text, n) => !isDemo(system, n)),
    notes: [...system.warnings.filter((_text, n) => isDemo(system, n)), ...(reindexingNote ? [reindexingNote] : [])],
  }
}

const isDemo = ({ warningIds }: Warnings, n: number): boolean => warningIds[n] === 'system.demo'

/** Shows owners the warnings about the storage and demo data on every page. Calls wait while the storage is not ours. */
async function fetchStorageBanners({ api, language, person }: PageContext): Promise<Banner[]> {
  if (!isOwner(person)) return []
  const response = await api.fetch<Warnings>('/v1/system/storage')
  const link = language.words.system.toSystem
  return response.warnings.map((text, n) => ({ text, href: '/system', link, isCalm: isDemo(response, n) }))
}
