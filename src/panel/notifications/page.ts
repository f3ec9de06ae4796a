import type { NotificationGroupJson } from '../../work/notifications/schema.ts'
import {
  fetchLoggedInPerson,
  redirect,
  renderPage,
  renderPageParts,
  type PageContext,
  type RequestContext,
} from '../frame/context.ts'
import { formatPathWithQuery, parsePostedForm } from '../frame/fields.ts'
import type { Page } from '../frame/page.ts'
import { buildPaging, parsePageNumber } from '../frame/paging.ts'
import { openNotification } from './open.ts'
import { notificationSettingRoutes } from './settings.ts'
import { buildNotificationGroup } from './view.ts'
import { notificationWords } from './words.ts'

/** The bell of every page links to this page. The palette finds it among the pages of the group `own`. */
export const notificationsPage: Page<'notifications', typeof notificationWords> = {
  name: 'notifications',
  words: notificationWords,
  menu: { href: '/notifications', title: notificationWords.title, group: 'own' },
  styles: ['notifications'],
  routes: [
    { method: 'get', path: '/notifications', handle: showNotifications },
    { method: 'get', path: '/notifications/bell', handle: showUnreadCount, isPublic: true },
    { method: 'post', path: '/notifications/read', handle: markRead },
    { method: 'get', path: '/notifications/:id/open', handle: openNotification },
    ...notificationSettingRoutes,
  ],
}

const PAGE_SIZE = 20

async function showNotifications(context: PageContext): Promise<void> {
  const { ctx, api, language } = context
  const t = language.words.notifications
  const page = parsePageNumber(ctx.query.page)
  const onlyUnread = ctx.query.unread === 'true'
  const [{ items, total }, { unread }] = await Promise.all([
    api.fetch<{ items: NotificationGroupJson[]; total: number }>(
      formatPathWithQuery('/v1/notifications', { ...formatList(onlyUnread, page), pageSize: String(PAGE_SIZE) }),
    ),
    fetchUnread(context),
  ])
  await renderPage(context, 'notifications/index', {
    title: t.title,
    tabs: [
      { text: t.tabs.all, href: formatHref(false), current: !onlyUnread },
      { text: t.tabs.unread, href: formatHref(true), current: onlyUnread },
    ],
    hasUnread: unread > 0,
    empty: onlyUnread ? t.emptyUnread : t.empty,
    kept: formatList(onlyUnread, page),
    groups: items.map((group) => buildNotificationGroup(group, language)),
    paging:
      total > PAGE_SIZE || page > 1 ? buildPaging(page, PAGE_SIZE, total, (to) => formatHref(onlyUnread, to)) : null,
  })
}

/** The query of the list. */
const formatList = (onlyUnread: boolean, page: number) => ({
  unread: onlyUnread ? 'true' : '',
  page: page > 1 ? String(page) : '',
})

const formatHref = (onlyUnread: boolean, page = 1): string =>
  formatPathWithQuery('/notifications', formatList(onlyUnread, page))

const fetchUnread = ({ api }: RequestContext) => api.fetch<{ unread: number }>('/v1/notifications/count')

/**
 * Renders the number in the bell. Pages request it after they are shown, and again every few seconds. Any failure keeps the old
 * number: a refresh in the background never leads away from a page.
 */
async function showUnreadCount(context: RequestContext): Promise<void> {
  try {
    await fetchLoggedInPerson(context)
    const { unread } = await fetchUnread(context)
    await renderPageParts(context as PageContext, ['notifications/_unread'], { unread })
  } catch {
    context.ctx.status = 204
  }
}

/** Marks one notification, those of a call, or all as read. */
async function markRead({ ctx, api }: PageContext): Promise<void> {
  const fields = await parsePostedForm(ctx)
  const [id, recordingId] = [fields.text('id'), fields.text('recording')]
  // The API rejects an invalid id. Without its field, all notifications would be marked as read.
  const body = { ...(id && { notificationIds: [id] }), ...(recordingId && { recordingId }) }
  await api.send('POST', '/v1/notifications/read', body)
  redirect(ctx, formatHref(fields.checked('unread'), parsePageNumber(fields.text('page'))))
}
