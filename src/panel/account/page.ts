import type { listOwnSessionsOperation } from '../../people/auth/schema.ts'
import { ApiError, returnApiErrorWithStatus, type ApiResponseBody } from '../frame/api-client.ts'
import { redirectFullPage, renderPage, redirect, type LoggedInPerson, type PageContext } from '../frame/context.ts'
import { FormValues, parsePostedForm } from '../frame/fields.ts'
import { createFormWithErrors, createFormState, type FormState } from '../frame/form.ts'
import type { Language } from '../frame/i18n.ts'
import type { Page } from '../frame/page.ts'
import { appendWeakPasswordWarning } from '../people/password-warning.ts'
import { parseUserAgent } from './user-agent.ts'
import { accountWords } from './words.ts'

const ACCOUNT_PATH = '/account'

export const accountPage: Page<'account', typeof accountWords> = {
  name: 'account',
  words: accountWords,
  menu: { href: '/account', title: accountWords.title, group: 'own' },
  styles: ['account'],
  routes: [
    { method: 'get', path: ACCOUNT_PATH, handle: async (context) => showPage(context, createFormState()) },
    { method: 'post', path: `${ACCOUNT_PATH}/language`, handle: changeLanguage },
    { method: 'post', path: `${ACCOUNT_PATH}/password`, handle: changePassword },
    { method: 'post', path: `${ACCOUNT_PATH}/sessions/end`, handle: endOtherSessions },
    { method: 'post', path: `${ACCOUNT_PATH}/sessions/:id/end`, handle: endSession },
  ],
}

type SessionList = ApiResponseBody<typeof listOwnSessionsOperation>

async function showPage(context: PageContext, password: FormState): Promise<void> {
  const { person } = context
  const { items } = await context.api.fetch<SessionList>('/v1/auth/sessions')
  const { words } = context.language
  const t = words.account
  await renderPage(context, 'account/index', {
    title: t.title,
    facts: buildFacts(person, context.language),
    languageForm: createFormState(FormValues.of({ language: person.language })),
    languages: [
      { value: '', text: t.language.browser },
      { value: 'en', text: 'English' },
      { value: 'ru', text: 'Русский' },
    ],
    password,
    sessions: items.map((session) => buildSessionRow(session, context.language)),
  })
}

function buildFacts({ email, role, departments }: LoggedInPerson, { words }: Language): [string, string][] {
  const t = words.account
  const facts: [string, string][] = [
    [t.email, email],
    [t.role, words.frame.roles[role] ?? role],
  ]
  if (departments.length > 0) facts.push([t.departments, departments.map(({ name }) => name).join(', ')])
  return facts
}

function buildSessionRow(
  { id, createdAt, lastSeenAt, expiresAt, address, userAgent, current }: SessionList['items'][number],
  language: Language,
) {
  const { words, format } = language
  const t = words.account.sessions
  const { browser, system } = parseUserAgent(userAgent ?? '')
  const formatTime = (iso: string) => ({ iso, text: format.shortTime(iso) })
  return {
    id,
    browser: (browser && system ? t.on(browser, system) : (browser ?? system ?? userAgent?.slice(0, 60))) || t.unknown,
    userAgent: userAgent ?? '',
    address: address ?? '—',
    began: formatTime(createdAt),
    seen: formatTime(lastSeenAt),
    ends: formatTime(expiresAt),
    current,
  }
}

async function changeLanguage(context: PageContext): Promise<void> {
  const { ctx, api, panel } = context
  const chosen = (await parsePostedForm(ctx)).text('language') || null
  await api.send('PATCH', '/v1/auth/me', { language: chosen })
  const language = panel.languages.find(({ code }) => code === chosen) ?? context.language
  redirect(ctx, ACCOUNT_PATH, language.words.account.language.saved)
}

async function changePassword(context: PageContext): Promise<void> {
  const { ctx, api } = context
  const fields = await parsePostedForm(ctx)
  const { person } = context
  const passwords = { currentPassword: fields.raw('currentPassword'), newPassword: fields.raw('newPassword') }
  try {
    await api.send('POST', '/v1/auth/password', passwords)
    const { changed } = context.language.words.account.password
    const notice = appendWeakPasswordWarning(changed, passwords.newPassword, person, context.language)
    if (person.mustChangePassword) redirectFullPage(ctx, '/', notice)
    else redirect(ctx, ACCOUNT_PATH, notice)
  } catch (error) {
    const names = Object.keys(passwords)
    const form = buildThrottledForm(context, error) ?? createFormWithErrors(error, fields, names, context.language)
    ctx.status = (error as ApiError).status
    await showPage(context, form)
  }
}

/** Returns a form with the waiting time if the API rejected too many wrong passwords (429), otherwise undefined. */
function buildThrottledForm({ ctx, language }: PageContext, error: unknown): FormState | undefined {
  if (!(error instanceof ApiError) || error.status !== 429) return undefined
  const seconds = error.retryAfterSeconds ?? 60
  ctx.set('Retry-After', String(seconds))
  return {
    ...createFormState(),
    error: language.words.account.password.throttled(seconds, language.format.number(seconds)),
  }
}

async function endOtherSessions(context: PageContext): Promise<void> {
  await context.api.send('DELETE', '/v1/auth/sessions')
  redirect(context.ctx, ACCOUNT_PATH, context.language.words.account.sessions.othersEnded)
}

async function endSession(context: PageContext): Promise<void> {
  const { ctx, api } = context
  const t = context.language.words.account.sessions
  const path = `/v1/auth/sessions/${encodeURIComponent(String(ctx.params.id))}`
  const response = await api.send('DELETE', path).catch(returnApiErrorWithStatus(404))
  redirect(ctx, ACCOUNT_PATH, response instanceof ApiError ? t.gone : t.ended)
}
