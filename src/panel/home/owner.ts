import type { HomePageJson } from '../../reports/home/schema.ts'
import type { systemStatusOperation } from '../../platform/http/system-schema.ts'
import { buildHomeChecklistView, fetchCrmState } from '../crm/checklist-view.ts'
import { ApiError, type ApiResponseBody } from '../frame/api-client.ts'
import type { PageContext } from '../frame/context.ts'
import type { Language } from '../frame/i18n.ts'

/** Fetches the data that an owner's home page needs besides GET /v1/home. Parts that fail are undefined. */
export async function fetchOwnerHomeState(context: PageContext) {
  const [health, setup] = await Promise.all([
    context.api.fetch<ApiResponseBody<typeof systemStatusOperation>>('/v1/system').catch(ignoreFailure),
    fetchCrmState(context).catch(ignoreFailure),
  ])
  return { health, setup }
}

/** A failed section leaves the others visible. A lost session ends the request, so that the person can log in. */
export function ignoreFailure(error: unknown): undefined {
  if (error instanceof ApiError && error.status === 401) throw error
}

type OwnerState = Awaited<ReturnType<typeof fetchOwnerHomeState>>

/** Builds the home page of an owner. Sections without data are undefined or null. */
export function buildOwnerHomeView(home: HomePageJson, { health, setup }: OwnerState, language: Language) {
  return {
    setup: setup && buildSetup(setup, language),
    health: health && buildHealth(health, language),
    automation: home.automation && {
      text: language.words.crm.states[home.automation.state]!,
      detail: home.automation.reason,
    },
    storage: home.storage && buildStorage(home.storage, language),
    model: home.modelRequests && buildModelRequests(home.modelRequests, language),
  }
}

/** Steps that an owner can leave for later for good. */
const OPTIONAL_LINES = ['rules', 'checking', 'keys', 'variable', 'writing']

/** Builds the set-up checklist. It is empty once the set-up is complete. */
function buildSetup(setup: NonNullable<OwnerState['setup']>, language: Language) {
  const lines = buildHomeChecklistView(setup, language)
  const needed = lines.filter(({ id, state }) => state !== 'later' || !OPTIONAL_LINES.includes(id))
  const done = needed.filter(({ state }) => state === 'done').length
  if (done === needed.length) return { lines: [], count: '' }
  const { format, words } = language
  return { lines, count: words.home.owner.setUpCount(format.number(done), format.number(needed.length)) }
}

function buildHealth({ warnings, warningIds }: NonNullable<OwnerState['health']>, { words, format }: Language) {
  const t = words.home.owner
  const serious = warnings.filter((_, n) => warningIds[n] !== 'system.demo')
  return {
    text: serious.length === 0 ? t.healthy : t.warnings(serious.length, format.number(serious.length)),
    isBad: serious.length > 0,
    warnings: serious,
  }
}

function buildStorage({ freeBytes, addedBytes }: NonNullable<HomePageJson['storage']>, { words, format }: Language) {
  const t = words.home.owner
  return {
    text: freeBytes === null ? t.unlimited : t.free(format.size(freeBytes)),
    detail: t.added(format.size(addedBytes)),
  }
}

function buildModelRequests(
  { host, requests, bytes, cost }: NonNullable<HomePageJson['modelRequests']>,
  { words, format }: Language,
) {
  const t = words.home.owner
  if (requests === 0 && host === null) return { text: t.noModel, detail: null }
  const amount = cost && format.money(cost.amount, cost.currency)
  const sent = host && t.sentTo(format.size(bytes), host)
  return {
    text: t.requests(requests, format.number(requests)),
    detail: [sent, amount].filter(Boolean).join(', '),
  }
}
