import type { NotificationSettingsJson } from '../../work/notifications/schema.ts'
import { EMAIL_FREQUENCIES } from '../../work/email/values.ts'
import { NOTIFICATION_KINDS } from '../../work/notifications/values.ts'
import { redirect, renderPage, type LoggedInPerson, type PageContext, type PanelRoute } from '../frame/context.ts'
import { FormValues, parsePostedForm } from '../frame/fields.ts'
import { createFormState } from '../frame/form.ts'
import { isOwnerOrHead } from '../frame/page.ts'

const SETTINGS_PATH = '/notifications/settings'
const SETTINGS_API_PATH = '/v1/notifications/settings'

export const notificationSettingRoutes: PanelRoute[] = [
  { method: 'get', path: SETTINGS_PATH, handle: showSettings },
  { method: 'post', path: SETTINGS_PATH, handle: saveSettings },
]

/** Managers get no notifications of these kinds. */
const REVIEWER_KINDS: readonly string[] = ['dispute', 'criticalMiss']

const listOfferedKinds = (person: LoggedInPerson) =>
  NOTIFICATION_KINDS.filter((kind) => isOwnerOrHead(person) || !REVIEWER_KINDS.includes(kind))

async function showSettings(context: PageContext): Promise<void> {
  const { api, person, language } = context
  const t = language.words.notifications.settings
  const { kinds, email, emailAvailable } = await api.fetch<NotificationSettingsJson>(SETTINGS_API_PATH)
  const offered = listOfferedKinds(person)
  await renderPage(context, 'notifications/settings', {
    title: t.title,
    form: createFormState(FormValues.of({ kinds: offered.filter((kind) => kinds[kind]), email })),
    kinds: offered.map((kind) => ({ value: kind, text: t.options[kind] })),
    emails: emailAvailable ? EMAIL_FREQUENCIES.map((value) => ({ value, text: t.emails[value] })) : null,
  })
}

async function saveSettings(context: PageContext): Promise<void> {
  const { ctx, api, person, language } = context
  const fields = await parsePostedForm(ctx)
  const { kinds } = await api.fetch<NotificationSettingsJson>(SETTINGS_API_PATH)
  const chosen = listOfferedKinds(person).map((kind) => [kind, fields.checked('kinds', kind)])
  // Without a mail server, the form has no such field.
  const email = fields.text('email') || undefined
  await api.send('PUT', SETTINGS_API_PATH, { kinds: { ...kinds, ...Object.fromEntries(chosen) }, email })
  redirect(ctx, SETTINGS_PATH, language.words.notifications.settings.saved)
}
