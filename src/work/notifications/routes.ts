import { requirePerson } from '../../platform/http/actor.ts'
import { route, type Route } from '../../platform/http/route.ts'
import { countUnreadNotifications, listNotifications, markNotificationsRead } from './list.ts'
import * as operations from './schema.ts'
import { loadNotificationSettings, saveNotificationSettings } from './settings.ts'

export const notificationRoutes: Route[] = [
  route(operations.listNotificationsOperation, ({ core, actor, query }) =>
    listNotifications(core, requirePerson(actor), query),
  ),

  route(operations.countNotificationsOperation, ({ core, actor }) =>
    countUnreadNotifications(core.pool, requirePerson(actor)),
  ),

  route(operations.markNotificationsReadOperation, ({ core, actor, body }) =>
    markNotificationsRead(core, requirePerson(actor), body),
  ),

  route(operations.readNotificationSettingsOperation, ({ core, actor }) =>
    loadNotificationSettings(core.pool, core.config, requirePerson(actor)),
  ),

  route(operations.changeNotificationSettingsOperation, ({ core, actor, body }) =>
    saveNotificationSettings(core, requirePerson(actor), body),
  ),
]
