import type { listOwnSessions } from '../../people/auth/schema.ts'
import { ApiError, refusal, type AnswerTo } from '../frame/api-client.ts'
import { redirectFullPage, renderPage, redirect, type Person, type PageContext } from '../frame/context.ts'
import { Fields, readFields } from '../frame/fields.ts'
import { formWithErrors, freshForm, type Form } from '../frame/form.ts'
import type { Language } from '../frame/i18n.ts'
import type { Page } from '../frame/page.ts'
import { withWarning } from '../people/password-warning.ts'
import { readUserAgent } from './user-agent.ts'
import { account } from './words.ts'

const PATH = '/account'

export const accountPage: Page<'account', typeof account> = {
  name: 'account',
  words: account,
  menu: { href: '/account', title: account.title, group: 'own' },
  styles: ['account'],
  routes: [
    { method: 'get', path: PATH, handle: async (context) => showPage(context, freshForm()) },
    { method: 'post', path: `${PATH}/language`, handle: changeLanguage },
    { method: 'post', path: `${PATH}/password`, handle: changePassword },
    { method: 'post', path: `${PATH}/sessions/end`, handle: endOthers },
    { method: 'post', path: `${PATH}/sessions/:id/end`, handle: endOne },
  ],
}

type Sessions = AnswerTo<typeof listOwnSessions>

async function showPage(context: PageContext, password: Form): Promise<void> {
  const { person } = context
  const { items } = await context.api.read<Sessions>('/v1/auth/sessions')
  const { words } = context.language
  const t = words.account
  await renderPage(context, 'account/index', {
    title: t.title,
    facts: factsOf(person, context.language),
    languageForm: freshForm(Fields.of({ language: person.language })),
    languages: [
      { value: '', text: t.language.browser },
      { value: 'en', text: 'English' },
      { value: 'ru', text: 'Русский' },
    ],
    password,
    sessions: items.map((session) => sessionRow(session, context.language)),
  })
}

function factsOf({ email, role, departments }: Person, { words }: Language): [string, string][] {
  const t = words.account
  const facts: [string, string][] = [
    [t.email, email],
    [t.role, words.frame.roles[role] ?? role],
  ]
  if (departments.length > 0) facts.push([t.departments, departments.map(({ name }) => name).join(', ')])
  return facts
}

function sessionRow(
  { id, createdAt, lastSeenAt, expiresAt, address, userAgent, current }: Sessions['items'][number],
  language: Language,
) {
  const { words, format } = language
  const t = words.account.sessions
  const { browser, system } = readUserAgent(userAgent ?? '')
  const time = (iso: string) => ({ iso, text: format.shortTime(iso) })
  return {
    id,
    browser: (browser && system ? t.on(browser, system) : (browser ?? system ?? userAgent?.slice(0, 60))) || t.unknown,
    userAgent: userAgent ?? '',
    address: address ?? '—',
    began: time(createdAt),
    seen: time(lastSeenAt),
    ends: time(expiresAt),
    current,
  }
}

async function changeLanguage(context: PageContext): Promise<void> {
  const { ctx, api, panel } = context
  const chosen = (await readFields(ctx)).text('language') || null
  await api.send('PATCH', '/v1/auth/me', { language: chosen })
  const language = panel.languages.find(({ code }) => code === chosen) ?? context.language
  redirect(ctx, PATH, language.words.account.language.saved)
}

async function changePassword(context: PageContext): Promise<void> {
  const { ctx, api } = context
  const fields = await readFields(ctx)
  const { person } = context
  const passwords = { currentPassword: fields.raw('currentPassword'), newPassword: fields.raw('newPassword') }
  try {
    await api.send('POST', '/v1/auth/password', passwords)
    const { changed } = context.language.words.account.password
    const notice = withWarning(changed, passwords.newPassword, person, context.language)
    if (person.mustChangePassword) redirectFullPage(ctx, '/', notice)
    else redirect(ctx, PATH, notice)
  } catch (error) {
    const names = Object.keys(passwords)
    const form = throttled(context, error) ?? formWithErrors(error, fields, names, context.language)
    ctx.status = (error as ApiError).status
    await showPage(context, form)
  }
}

/** Too many wrong passwords: shown above the form, not on a page of its own. */
function throttled({ ctx, language }: PageContext, error: unknown): Form | undefined {
  if (!(error instanceof ApiError) || error.status !== 429) return undefined
  const seconds = error.retryAfterSeconds ?? 60
  ctx.set('Retry-After', String(seconds))
  return { ...freshForm(), error: language.words.account.password.throttled(seconds, language.format.number(seconds)) }
}

async function endOthers(context: PageContext): Promise<void> {
  await context.api.send('DELETE', '/v1/auth/sessions')
  redirect(context.ctx, PATH, context.language.words.account.sessions.othersEnded)
}

async function endOne(context: PageContext): Promise<void> {
  const { ctx, api } = context
  const t = context.language.words.account.sessions
  const path = `/v1/auth/sessions/${encodeURIComponent(String(ctx.params.id))}`
  const answer = await api.send('DELETE', path).catch(refusal(404))
  redirect(ctx, PATH, answer instanceof ApiError ? t.gone : t.ended)
}
