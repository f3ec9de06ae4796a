import Type, { type Static } from 'typebox'
import { bilingualTextSchema } from '../../check/rules/schema.ts'
import { VERDICTS } from '../../check/checks/values.ts'
import * as field from '../../platform/http/field.ts'
import type { Operation } from '../../platform/http/operation.ts'
import { createPageSchema, pageParameters } from '../../platform/http/paging.ts'
import { CallReferenceSchema, exampleCallReference, examplePerson, personSchema, workOperation } from '../schema.ts'
import { DAILY_EMAIL_HOUR, EMAIL_FREQUENCIES } from '../email/values.ts'
import { NOTIFICATION_KINDS } from './values.ts'

const ownOperation = { ...workOperation, access: 'self' } as const

const NotificationSchema = field.namedObject('Notification', 'A message about an event that concerns a person.', {
  id: field.id('The notification.'),
  kind: field.oneOf(
    NOTIFICATION_KINDS,
    'dispute: a verdict to decide; decision: your dispute was decided; comment: on your call or in your thread; ' +
      'mention: a comment mentions you; assignment: a call to hear; criticalMiss: a call of your department missed a ' +
      'critical rule; weeklyReport: the report of a week is ready; view: a call ' +
      'entered a view to which you subscribed.',
  ),
  createdAt: field.time('When it happened.'),
  isRead: field.boolean('Whether you have read it.'),
  actor: field.nullable(personSchema('A person.'), 'The person who caused it; null for the service.'),
  rule: field.nullable(
    field.object('The rule.', {
      key: field.text('Its key.'),
      name: bilingualTextSchema(200, 'Its requirement at that time.'),
    }),
    'The rule of a dispute, a decision or a critical miss; null for other kinds.',
  ),
  verdict: field.nullable(Type.Enum([...VERDICTS]), 'The verdict of a decision; null for other kinds.'),
  text: field.textOrNull('The comment, or the reason of a dispute, a decision or an assignment; null without one.'),
  at: field.numberOrNull(
    'The moment of a comment or an assignment, in seconds from the start of the recording; null without one.',
  ),
  commentId: field.idOrNull('The comment; null for other kinds.'),
  assignmentId: field.idOrNull('The assignment; null for other kinds.'),
  week: field.textOrNull('The week of a report, such as 2026-W12; null for other kinds.'),
  view: field.nullable(
    field.object('The view.', { id: field.id('The view.'), name: field.text('Its name now.') }),
    'The view that the call entered; null for other kinds.',
  ),
})

/** A call can have hundreds of notifications. */
export const MAX_GROUP_ITEMS = 20

const GroupSchema = field.namedObject('NotificationGroup', 'The notifications about one call.', {
  recording: field.nullable(CallReferenceSchema, 'The call; null for a notification about none, which is alone.'),
  total: field.integer('How many they are.'),
  unread: field.integer('How many of them are unread.'),
  latestAt: field.time('When the latest event happened.'),
  items: field.list(NotificationSchema, `The latest ${MAX_GROUP_ITEMS} notifications, latest first.`),
})
export type NotificationGroupJson = Static<typeof GroupSchema>

const exampleGroup: NotificationGroupJson = {
  recording: exampleCallReference,
  total: 1,
  unread: 1,
  latestAt: '2026-03-01T07:10:00.000Z',
  items: [
    {
      id: '01890a5d-ac96-774b-bcce-b302099a8062',
      kind: 'mention',
      createdAt: '2026-03-01T07:10:00.000Z',
      isRead: false,
      actor: examplePerson,
      rule: null,
      verdict: null,
      text: 'A good answer to “too expensive”. @Max Berger, use it again.',
      at: 42.5,
      commentId: '01890a5d-ac96-774b-bcce-b302099a8061',
      assignmentId: null,
      week: null,
      view: null,
    },
  ],
}

export const listNotificationsOperation = {
  ...workOperation,
  id: 'listNotifications',
  method: 'get',
  path: '/v1/notifications',
  audit: 'notifications.list',
  summary: 'Your notifications, grouped by call',
  description:
    'The group with the latest event first. Notifications about calls that you no longer see are absent and not counted. ' +
    'Notifications are deleted after 90 days.',
  query: field.object({
    ...pageParameters,
    unread: Type.Optional(
      field.boolean('true: only groups with unread notifications, and of these only the unread ones. All by default.'),
    ),
  }),
  responses: {
    200: {
      description: 'A page of groups.',
      json: createPageSchema(GroupSchema, 'A page of groups.'),
      example: { items: [exampleGroup], total: 1, page: 1, pageSize: 25 },
    },
  },
} as const satisfies Operation

const UnreadSchema = field.object('The unread notifications.', {
  unread: field.integer('How many notifications about calls that you see are unread.'),
})

export const countNotificationsOperation = {
  ...workOperation,
  id: 'countNotifications',
  method: 'get',
  path: '/v1/notifications/count',
  summary: 'How many of your notifications are unread',
  responses: { 200: { description: 'The number.', json: UnreadSchema, example: { unread: 5 } } },
} as const satisfies Operation

export const markNotificationsReadOperation = {
  ...ownOperation,
  id: 'markNotificationsRead',
  method: 'post',
  path: '/v1/notifications/read',
  summary: 'Mark your notifications as read',
  description:
    'With both fields, those that match both; without fields or without a body, all. Ids of others change nothing.',
  optionalBody: true,
  body: field.requestBody(
    { recordingId: exampleCallReference.id },
    {
      notificationIds: Type.Optional(
        Type.Array(field.id('A notification.'), { maxItems: 500, description: 'Only these notifications.' }),
      ),
      recordingId: Type.Optional(field.id('Only those about this call.')),
    },
  ),
  responses: {
    200: { description: 'The notifications that are still unread.', json: UnreadSchema, example: { unread: 0 } },
  },
} as const satisfies Operation

const changeableSettings = {
  kinds: field.object(
    'Each kind, true by default. A change applies to new events.',
    Object.fromEntries(
      NOTIFICATION_KINDS.map((kind) => [kind, field.boolean(`Whether you get notifications of the kind ${kind}.`)]),
    ) as Record<(typeof NOTIFICATION_KINDS)[number], Type.TBoolean>,
  ),
  email: field.oneOf(
    EMAIL_FREQUENCIES,
    'E-mails with the counts of your unread notifications, without data of calls. none: no e-mails, the default; ' +
      `immediate: about a minute after an event; daily: once a day at ${DAILY_EMAIL_HOUR}:00 in APP_TIMEZONE.`,
  ),
}

const SettingsSchema = field.object('Which notifications you get.', {
  ...changeableSettings,
  emailAvailable: field.boolean('Whether the service has a mail server. Without one, nobody gets e-mails.'),
})
export type NotificationSettingsJson = Static<typeof SettingsSchema>

const exampleSettings = {
  kinds: Object.fromEntries(NOTIFICATION_KINDS.map((kind) => [kind, kind !== 'comment'])),
  email: 'daily',
  emailAvailable: true,
} as NotificationSettingsJson

export const readNotificationSettingsOperation = {
  ...ownOperation,
  id: 'readNotificationSettings',
  method: 'get',
  path: '/v1/notifications/settings',
  summary: 'Which notifications you get',
  responses: { 200: { description: 'The settings.', json: SettingsSchema, example: exampleSettings } },
} as const satisfies Operation

export const changeNotificationSettingsOperation = {
  ...ownOperation,
  id: 'changeNotificationSettings',
  method: 'put',
  path: '/v1/notifications/settings',
  summary: 'Choose which notifications you get',
  description: 'All kinds are required. Without email, your e-mails stay as they are.',
  body: field.requestBody(
    { kinds: exampleSettings.kinds, email: exampleSettings.email },
    { ...changeableSettings, email: Type.Optional(changeableSettings.email) },
  ),
  responses: { 200: { description: 'The settings now.', json: SettingsSchema, example: exampleSettings } },
} as const satisfies Operation
