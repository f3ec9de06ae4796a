import { ApiUnavailableError, ApiError, type RequestApi } from '../frame/api-client.ts'
import type { PageContext } from '../frame/context.ts'
import type { Language } from '../frame/i18n.ts'
import { fetchAllItems } from '../frame/fetch-all.ts'

/** A step of the set-up checklist: the task, its state and its button. */
export interface SetupChecklistLine {
  id: string
  title: string
  text: string
  state: 'done' | 'open' | 'later' | 'look' | 'unknown'
  at: string | null
  /** The original message of the CRM or the service, shown below the text. */
  said?: string | null
  /** `link` opens a page. `send` posts a form, after a confirmation if it has a question. */
  link?: { href: string; text: string }
  send?: { action: string; label: string; question?: string; sure?: string }
}

/** Settings of the owner's steps; null if they could not be loaded. */
export interface OwnerSetup {
  /** Whether BOOTSTRAP_ADMIN_PASSWORD is still in the environment. */
  isPasswordSet: boolean | null
  people: number | null
  keys: number | null
  check: CheckSetup | null
  /** Number of calls with a score, or of transcribed calls if calls get no scores. */
  calls: number | null
}

interface CheckSetup {
  provider: string
  /** Number of published rule sets. */
  published: number
  automatic: boolean
  /** Whether new calls get scores. */
  isScoring: boolean
}

const INITIAL_PASSWORD_WARNING = 'system.bootstrapPassword'

/** Fetches the settings for the owner's steps. Values that the API cannot provide are null. */
export async function fetchOwnerSetup({ api }: PageContext): Promise<OwnerSetup> {
  const [isPasswordSet, people, keys, check] = await Promise.all([
    nullIfUnavailable(fetchIsPasswordSet(api)),
    nullIfUnavailable(fetchTotal(api, '/v1/people?active=true&pageSize=1')),
    nullIfUnavailable(fetchTotal(api, '/v1/api-keys?pageSize=1')),
    nullIfUnavailable(fetchCheckSetup(api)),
  ])
  const filter = check?.isScoring ? 'status=DONE&scoreFrom=0' : 'status=DONE'
  const calls = await nullIfUnavailable(fetchTotal(api, `/v1/recordings/facets?${filter}`))
  return { isPasswordSet, people, keys, check, calls }
}

async function nullIfUnavailable<T>(request: Promise<T>): Promise<T | null> {
  try {
    return await request
  } catch (error) {
    if (error instanceof ApiUnavailableError || (error instanceof ApiError && error.status >= 500)) return null
    throw error
  }
}

async function fetchIsPasswordSet(api: RequestApi): Promise<boolean> {
  const { warningIds } = await api.fetch<{ warningIds: string[] }>('/v1/system')
  return warningIds.includes(INITIAL_PASSWORD_WARNING)
}

const fetchTotal = async (api: RequestApi, path: string): Promise<number> =>
  (await api.fetch<{ total: number }>(path)).total

async function fetchCheckSetup(api: RequestApi): Promise<CheckSetup> {
  const [{ provider }, { automatic }, sets] = await Promise.all([
    api.fetch<{ provider: string }>('/v1/analysis/provider'),
    api.fetch<{ automatic: boolean }>('/v1/analysis/settings'),
    fetchAllItems<{ version: number | null; mode: string }>(api, '/v1/rule-sets'),
  ])
  const published = sets.filter(({ version }) => version !== null)
  const isScoring = provider !== 'none' && automatic && published.some(({ mode }) => mode === 'score')
  return { provider, automatic, published: published.length, isScoring }
}

/** Builds the checklist steps that do not concern the CRM. */
export function buildOwnerChecklistLines(setup: OwnerSetup, language: Language) {
  const { people, keys } = language.words.crm
  return {
    password: buildPasswordLine(setup, language),
    people: buildCountLine('people', setup.people, { ...people, href: '/people', minimum: 2, state: 'open' }, language),
    keys: buildCountLine('keys', setup.keys, { ...keys, href: '/api-keys', minimum: 1, state: 'later' }, language),
    rules: buildRulesLine(setup, language),
    checking: buildCheckingLine(setup, language),
    call: buildCallLine(setup, language),
  }
}

function buildPasswordLine({ isPasswordSet }: OwnerSetup, { words: { crm: t } }: Language): SetupChecklistLine {
  const { title, done, look, button } = t.password
  const line = { id: 'password', title, at: null }
  if (isPasswordSet === false) return { ...line, text: done, state: 'done' }
  const link = { href: '/system', text: button }
  return isPasswordSet
    ? { ...line, text: look, state: 'look', link }
    : { ...line, text: t.unread, state: 'unknown', link }
}

interface CountLineOptions {
  title: string
  button: string
  href: string
  /** Text if the number reaches `minimum`; `open` is the text below it. */
  done: (n: number, shown: string) => string
  open: string
  minimum: number
  state: SetupChecklistLine['state']
}

function buildCountLine(
  id: string,
  n: number | null,
  about: CountLineOptions,
  { words: { crm: t }, format }: Language,
): SetupChecklistLine {
  const { title, button, href, done, open, minimum, state } = about
  const line = { id, title, at: null, link: { href, text: button } }
  if (n === null) return { ...line, text: t.unread, state: 'unknown' }
  return n < minimum ? { ...line, text: open, state } : { ...line, text: done(n, format.number(n)), state: 'done' }
}

function buildCallLine({ calls, check }: OwnerSetup, language: Language): SetupChecklistLine {
  const { openUnchecked, scored, ...t } = language.words.crm.call
  const texts = check?.isScoring ? { open: t.open, done: scored } : { open: openUnchecked, done: t.done }
  return buildCountLine('call', calls, { ...t, ...texts, href: '/upload', minimum: 1, state: 'open' }, language)
}

function buildRulesLine({ check }: OwnerSetup, { words: { crm: t }, format }: Language): SetupChecklistLine {
  const { title, button, off, none, on } = t.review
  const line = { id: 'rules', title, at: null, link: { href: '/rule-sets', text: button } }
  if (!check) return { ...line, text: t.unread, state: 'unknown' }
  if (check.provider === 'none') return { ...line, text: off, state: 'later' }
  if (check.published === 0) return { ...line, text: none, state: 'open' }
  return { ...line, text: on(check.published, format.number(check.published)), state: 'done' }
}

function buildCheckingLine({ check }: OwnerSetup, { words: { crm: t } }: Language): SetupChecklistLine {
  const { title, done, open, button } = t.automatic
  const line = { id: 'checking', title, at: null }
  if (!check) return { ...line, text: t.unread, state: 'unknown' }
  if (check.automatic) return { ...line, text: done, state: 'done' }
  if (check.provider === 'none') return { ...line, text: t.review.off, state: 'later' }
  return { ...line, text: open, state: 'open', send: { action: '/automation/checking', label: button } }
}
