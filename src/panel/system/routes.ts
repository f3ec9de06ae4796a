import type { Static } from 'typebox'
import type { ApiKeySchema } from '../../auth/schema.ts'
import type { IngestionJson } from '../../ingestion/schema.ts'
import type { readQueue } from '../../transcription/schema.ts'
import type { system } from '../../system/schema.ts'
import { ApiError } from '../frame/api-client.ts'
import { readFields } from '../frame/fields.ts'
import { formWithErrors, freshForm, type Form } from '../frame/form.ts'
import type { Language } from '../frame/i18n.ts'
import { readAll } from '../frame/read-all.ts'
import { learnReasons } from '../frame/reasons.ts'
import { changeIngestion, ingestionView } from './ingestion.ts'
import { warningsView } from './warnings.ts'
import {
  isRefresh,
  loadFrame,
  renderPage,
  renderParts,
  seeOther,
  type Route,
  type PageContext,
} from '../frame/context.ts'

export const systemRoutes: Route[] = [
  { method: 'get', path: '/system', handle: showSystem },
  { method: 'post', path: '/system', handle: createKey },
  { method: 'post', path: '/system/intake/pause', handle: (context) => changeIngestion(context, true) },
  { method: 'post', path: '/system/intake/resume', handle: (context) => changeIngestion(context, false) },
  { method: 'post', path: '/system/keys/:id/revoke', handle: revokeKey },
]

type System = Static<(typeof system.responses)[200]['json']>
type Queue = Static<(typeof readQueue.responses)[200]['json']>
type Key = Static<typeof ApiKeySchema>

async function showSystem(context: PageContext): Promise<void> {
  if (!isRefresh(context.ctx)) return showPage(context, freshForm())
  const [state] = await Promise.all([loadState(context), loadFrame(context)])
  renderParts(context, ['system/_state', '_counts'], stateView(state, context.language))
}

interface State {
  system: System
  queue: Queue
  ingestion: IngestionJson
}

async function loadState(context: PageContext): Promise<State> {
  const { api } = context
  const [system, queue, ingestion] = await Promise.all([
    api.read<System>('/v1/system'),
    api.read<Queue>('/v1/queue'),
    api.read<IngestionJson>('/v1/ingestion'),
  ])
  await learnReasons(context, [ingestion.lastError])
  return { system, queue, ingestion }
}

/** @param made the key that was just created: shown here and nowhere else, never again */
async function showPage(context: PageContext, form: Form, made?: { name: string; key: string }): Promise<void> {
  const [state, keys] = await Promise.all([
    loadState(context),
    readAll<Key>(context.api, '/v1/api-keys'),
    loadFrame(context),
  ])
  const { language } = context
  renderPage(context, 'system/index', {
    title: language.words.system.title,
    scripts: ['copy.js'],
    ...stateView(state, language),
    keys: keys.map((key) => keyRow(key, language)),
    form,
    made,
  })
}

async function createKey(context: PageContext): Promise<void> {
  const { ctx, api } = context
  const fields = await readFields(ctx)
  await loadFrame(context)
  try {
    const { body } = await api.send<{ name: string; key: string }>('POST', '/v1/api-keys', {
      name: fields.text('name'),
    })
    await showPage(context, freshForm(), body)
  } catch (error) {
    const form = formWithErrors(error, fields, ['name'], context.language)
    ctx.status = (error as ApiError).status
    await showPage(context, form)
  }
}

async function revokeKey(context: PageContext): Promise<void> {
  const { ctx, api } = context
  const name = (await readFields(ctx)).text('name')
  await loadFrame(context)
  const t = context.language.words.system.keys
  try {
    await api.send('DELETE', `/v1/api-keys/${encodeURIComponent(String(ctx.params.id))}`)
    seeOther(ctx, '/system', t.revoked(name))
  } catch (error) {
    if (!(error instanceof ApiError && error.status === 404)) throw error
    seeOther(ctx, '/system', t.gone)
  }
}

function keyRow({ id, name, prefix, createdAt, lastUsedAt }: Key, { format }: Language) {
  const time = (iso: string) => ({ iso, text: format.shortTime(iso) })
  return { id, name, prefix, created: time(createdAt), lastUsed: lastUsedAt === null ? null : time(lastUsedAt) }
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

/** The part of the page that refreshes itself. */
function stateView({ system, queue, ingestion }: State, language: Language) {
  const t = language.words.system
  const { version, commit, node, database, redis, storage } = system
  const known = (...facts: (string | false | null | undefined)[]) => facts.filter(Boolean).join(' · ')
  const part = (name: keyof typeof t.parts, state: PartState, version: string, details: string) => ({
    name: t.parts[name],
    badge: { kind: BADGES[state], text: t.states[state] },
    version,
    details,
  })
  const upOrDown = (version: unknown): PartState => (version === null ? 'down' : 'up')
  const parts = [
    part('service', 'up', version, known(t.commit(commit), `Node.js ${node}`)),
    recognizerPart(system, queue, language, part),
    part(
      'database',
      upOrDown(database.version),
      postgres(database.version),
      known(database.schema && t.schema(database.schema)),
    ),
    part(
      'store',
      upOrDown(redis.version),
      redis.version === null ? '—' : `Redis ${redis.version}`,
      known(
        redis.persistence !== null && t.persistence[redis.persistence],
        redis.evictionPolicy !== null && t.eviction(redis.evictionPolicy),
      ),
    ),
    part(
      'storage',
      system.warningIds.some((id) => id.startsWith('storage.')) ? 'failed' : 'up',
      '—',
      known(
        t.storageKinds[storage.kind],
        storage.freeBytes !== null && t.free(language.format.size(storage.freeBytes)),
      ),
    ),
  ]
  const ready = parts.every(({ badge }) => badge.kind === 'done')
  return {
    parts: [...parts.slice(0, 2), ...eachRecognizer(system, language), ...parts.slice(2)],
    ingestion: ingestionView(ingestion, language),
    overall: { kind: ready ? 'done' : 'failed', text: ready ? t.overall.ready : t.overall.degraded },
    ...warningsView(system, language),
  }
}

const postgres = (version: string | null): string => (version === null ? '—' : `Postgres ${version.split(' ')[0]}`)

type MakePart<T> = (name: 'recognizer', state: PartState, version: string, details: string) => T

/** The recognizer, and what it is doing as far as the queue of transcription tells. */
function recognizerPart<T>({ asr }: System, queue: Queue, language: Language, part: MakePart<T>): T {
  const { words, format } = language
  const t = words.system
  const model = [asr.model, asr.version].filter((fact) => fact !== null).join(' ')
  const excuse = { ready: undefined, down: t.recognizerDown, loading: t.recognizerLoading, failed: t.recognizerFailed }
  const { running, waiting, etaSeconds, paused } = queue
  const doing = [
    running > 0 && t.doing(running, format.number(running)),
    waiting > 0 && t.waiting(waiting, format.number(waiting)),
    waiting + running > 0 && etaSeconds !== null && !paused && t.emptyIn(etaSeconds),
    waiting + running === 0 && t.idle,
    paused && t.paused,
  ]
  const settings = [asr.precision, asr.decoder !== null && t.decoder(decoderName(asr.decoder, language))]
  const details = [excuse[asr.status] ?? doing.filter(Boolean).join(', '), ...settings].filter(Boolean)
  return part('recognizer', asr.status, model || '—', details.join(' · '))
}

/** Where there are several, each with its own state: together they are as ready as the best of them. */
function eachRecognizer({ asr }: System, { words, format }: Language) {
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

const decoderName = (decoder: string, { words }: Language): string => words.recordings.decoder[decoder] ?? decoder
