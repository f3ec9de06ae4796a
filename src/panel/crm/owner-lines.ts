import { ApiDown, ApiError, type Api } from '../frame/api-client.ts'
import type { PageContext } from '../frame/context.ts'
import type { Language } from '../frame/i18n.ts'
import { readAll } from '../frame/read-all.ts'

/** One line: the task, whether it is done, and its button. */
export interface Line {
  id: string
  title: string
  text: string
  state: 'done' | 'open' | 'later' | 'look' | 'unknown'
  at: string | null
  /** The message of the CRM, or of the service about it. */
  said?: string | null
  /** Its page, or the form that it sends; asks the question first. */
  link?: { href: string; text: string }
  send?: { action: string; label: string; question?: string; sure?: string }
}

/** The settings that an owner makes besides the CRM; null if they cannot be loaded. */
export interface Setup {
  /** Whether the first owner's password is still in the environment. */
  isPasswordSet: boolean | null
  people: number | null
  keys: number | null
  check: { provider: string; published: number; automatic: boolean } | null
}

const PASSWORD_SET = 'system.bootstrapPassword'

export async function loadSetup({ api }: PageContext): Promise<Setup> {
  const [isPasswordSet, people, keys, check] = await Promise.all([
    orUnknown(loadIsPasswordSet(api)),
    orUnknown(loadTotal(api, '/v1/people?active=true&pageSize=1')),
    orUnknown(loadTotal(api, '/v1/api-keys?pageSize=1')),
    orUnknown(loadCheck(api)),
  ])
  return { isPasswordSet, people, keys, check }
}

async function orUnknown<T>(reading: Promise<T>): Promise<T | null> {
  try {
    return await reading
  } catch (error) {
    if (error instanceof ApiDown || (error instanceof ApiError && error.status >= 500)) return null
    throw error
  }
}

async function loadIsPasswordSet(api: Api): Promise<boolean> {
  const { warningIds } = await api.read<{ warningIds: string[] }>('/v1/system')
  return warningIds.includes(PASSWORD_SET)
}

const loadTotal = async (api: Api, path: string): Promise<number> => (await api.read<{ total: number }>(path)).total

async function loadCheck(api: Api): Promise<Setup['check']> {
  const [{ provider }, { automatic }, sets] = await Promise.all([
    api.read<{ provider: string }>('/v1/analysis/provider'),
    api.read<{ automatic: boolean }>('/v1/analysis/settings'),
    readAll<{ version: number | null }>(api, '/v1/rule-sets'),
  ])
  return { provider, automatic, published: sets.filter(({ version }) => version !== null).length }
}

export function ownerLines(setup: Setup, language: Language) {
  const { people, keys } = language.words.crm
  return {
    password: password(setup, language),
    people: counted('people', setup.people, { ...people, href: '/people', enough: 2, state: 'open' }, language),
    keys: counted('keys', setup.keys, { ...keys, href: '/api-keys', enough: 1, state: 'later' }, language),
    rules: rules(setup, language),
    checking: checking(setup, language),
  }
}

function password({ isPasswordSet }: Setup, { words: { crm: t } }: Language): Line {
  const { title, done, look, button } = t.password
  const line = { id: 'password', title, at: null }
  if (isPasswordSet === false) return { ...line, text: done, state: 'done' }
  const link = { href: '/system', text: button }
  return isPasswordSet
    ? { ...line, text: look, state: 'look', link }
    : { ...line, text: t.unread, state: 'unknown', link }
}

interface Counted {
  title: string
  button: string
  href: string
  /** The text for a sufficient number, and for a lower one. */
  done: (n: number, shown: string) => string
  open: string
  enough: number
  state: Line['state']
}

function counted(id: string, n: number | null, about: Counted, { words: { crm: t }, format }: Language): Line {
  const { title, button, href, done, open, enough, state } = about
  const line = { id, title, at: null, link: { href, text: button } }
  if (n === null) return { ...line, text: t.unread, state: 'unknown' }
  return n < enough ? { ...line, text: open, state } : { ...line, text: done(n, format.number(n)), state: 'done' }
}

function rules({ check }: Setup, { words: { crm: t }, format }: Language): Line {
  const { title, button, off, none, on } = t.review
  const line = { id: 'rules', title, at: null, link: { href: '/rule-sets', text: button } }
  if (!check) return { ...line, text: t.unread, state: 'unknown' }
  if (check.provider === 'none') return { ...line, text: off, state: 'later' }
  if (check.published === 0) return { ...line, text: none, state: 'open' }
  return { ...line, text: on(check.published, format.number(check.published)), state: 'done' }
}

function checking({ check }: Setup, { words: { crm: t } }: Language): Line {
  const { title, done, open, button } = t.automatic
  const line = { id: 'checking', title, at: null }
  if (!check) return { ...line, text: t.unread, state: 'unknown' }
  if (check.automatic) return { ...line, text: done, state: 'done' }
  if (check.provider === 'none') return { ...line, text: t.review.off, state: 'later' }
  return { ...line, text: open, state: 'open', send: { action: '/automation/checking', label: button } }
}
