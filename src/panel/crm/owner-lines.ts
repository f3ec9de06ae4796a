import { ApiDown, ApiError, type Api } from '../frame/api-client.ts'
import type { PageContext } from '../frame/context.ts'
import type { Language } from '../frame/i18n.ts'
import { readAll } from '../frame/read-all.ts'

/** One line: what to do, whether it is done, and the one button that does it. */
export interface Line {
  id: string
  title: string
  text: string
  state: 'done' | 'open' | 'later' | 'look' | 'unknown'
  at: string | null
  /** What the CRM said in its own words, or the service of it. */
  said?: string | null
  /** A page that it leads to, or what is sent; the question is asked before. */
  link?: { href: string; text: string }
  send?: { action: string; label: string; question?: string; sure?: string }
}

/** What an owner sets up besides the CRM; null where it cannot be read now, which keeps nobody from what is beside it. */
export interface Setup {
  /** Whether the first owner's password still stands in the environment. */
  isPasswordSet: boolean | null
  /** Those who may log in. */
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

/** What it comes to, or null where the API does not answer it. */
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

/** The lines of an owner's other steps, by where they stand among those of the CRM. */
export function ownerLines(setup: Setup, { words: { crm: t }, format }: Language) {
  const number = (n: number) => format.number(n)
  return {
    password: password(setup, t),
    others: people(setup, t, number),
    integrations: keys(setup, t, number),
    rules: review(setup, t, number),
    automatic: automatic(setup, t),
  }
}

type Words = Language['words']['crm']
type Count = Language['format']['number']
type Told = Pick<Line, 'text' | 'state'>

const unknown = (t: Words): Told => ({ text: t.unread, state: 'unknown' })

function password({ isPasswordSet: isSet }: Setup, t: Words): Line {
  const told: Told =
    isSet === null
      ? unknown(t)
      : isSet
        ? { text: t.password.look, state: 'look' }
        : { text: t.password.done, state: 'done' }
  const link = { href: '/system', text: t.password.button }
  return { id: 'password', title: t.password.title, ...told, at: null, ...(isSet !== false && { link }) }
}

function people({ people: n }: Setup, t: Words, number: Count): Line {
  const told: Told =
    n === null
      ? unknown(t)
      : n > 1
        ? { text: t.people.done(n, number(n)), state: 'done' }
        : { text: t.people.open, state: 'open' }
  return { id: 'people', title: t.people.title, ...told, at: null, link: { href: '/people', text: t.people.button } }
}

function keys({ keys: n }: Setup, t: Words, number: Count): Line {
  const told: Told =
    n === null
      ? unknown(t)
      : n > 0
        ? { text: t.keys.done(n, number(n)), state: 'done' }
        : { text: t.keys.open, state: 'later' }
  return { id: 'keys', title: t.keys.title, ...told, at: null, link: { href: '/api-keys', text: t.keys.button } }
}

function review({ check }: Setup, t: Words, number: Count): Line {
  const link = { href: '/rule-sets', text: t.review.button }
  return { id: 'rules', title: t.review.title, ...reviewed(check, t, number), at: null, link }
}

function reviewed(check: Setup['check'], t: Words, number: Count): Told {
  if (!check) return unknown(t)
  const { provider, published } = check
  if (provider === 'none') return { text: t.review.off, state: 'later' }
  if (published === 0) return { text: t.review.none, state: 'open' }
  return { text: t.review.on(published, number(published)), state: 'done' }
}

function automatic({ check }: Setup, t: Words): Line {
  const line = { id: 'checking', title: t.automatic.title, at: null }
  if (!check) return { ...line, ...unknown(t) }
  if (check.automatic) return { ...line, text: t.automatic.done, state: 'done' }
  if (check.provider === 'none') return { ...line, text: t.review.off, state: 'later' }
  return {
    ...line,
    text: t.automatic.open,
    state: 'open',
    send: { action: '/automation/checking', label: t.automatic.button },
  }
}
