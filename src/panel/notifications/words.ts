import type { EmailFrequency } from '../../work/email/values.ts'
import type { NotificationKind } from '../../work/notifications/values.ts'
import { pluralTemplate } from '../frame/words/grammar.ts'
import { text, textTemplate } from '../frame/words/translation.ts'

export const notificationWords = {
  title: text('Notifications', 'Уведомления'),
  unread: pluralTemplate('{} unread', '{} {непрочитанное|непрочитанных|непрочитанных}'),
  isUnread: text('unread', 'не прочитано'),
  tabs: text({ all: 'All', unread: 'Unread' }, { all: 'Все', unread: 'Непрочитанные' }),
  markRead: text('Mark as read', 'Отметить как прочитанное'),
  markAllRead: text('Mark all as read', 'Отметить все прочитанными'),
  more: pluralTemplate('{} more about this call', 'ещё {} об этом звонке'),
  empty: text(
    'No notifications yet. Comments, disputes and assigned calls appear here.',
    'Уведомлений пока нет. Здесь появятся комментарии, возражения и назначенные звонки.',
  ),
  emptyUnread: text('You have read everything.', 'Всё прочитано.'),
  call: text('Call', 'Звонок'),
  /** Each follows the name of the person who did it, except those without a person. */
  lines: {
    dispute: textTemplate('disputed “{}”', 'оспаривает вердикт «{}»'),
    decision: textTemplate('decided your dispute of “{}”: {}', 'отвечает на ваше возражение «{}»: {}'),
    comment: textTemplate('commented at {}', 'комментирует звонок на {}'),
    mention: textTemplate('mentioned you at {}', 'упоминает вас на {}'),
    assignment: text('asked you to listen to this call', 'просит прослушать этот звонок'),
    assignmentFrom: textTemplate('asked you to listen to this call from {}', 'просит прослушать этот звонок с {}'),
    criticalMiss: textTemplate('Critical rule missed: “{}”', 'Не выполнено критичное правило «{}»'),
    view: textTemplate('New call in “{}”', 'Новый звонок в виде «{}»'),
    weeklyReport: textTemplate('The weekly report for {} is ready', 'Готов отчёт за неделю {}'),
  },
  settings: {
    title: text('Notification settings', 'Настройка уведомлений'),
    link: text('Settings', 'Настроить'),
    kinds: text('Notify me when', 'Уведомлять, когда'),
    hint: text('Changes apply to new events.', 'Изменения действуют для новых событий.'),
    email: text('E-mails', 'Письма'),
    emailHint: text(
      'An e-mail has the number of unread notifications and links, and nothing about calls.',
      'В письме только число непрочитанных уведомлений и ссылки, без данных о звонках.',
    ),
    emails: text<Record<EmailFrequency, string>>(
      { none: 'never', immediate: 'at once', daily: 'once a day' },
      { none: 'не присылать', immediate: 'сразу', daily: 'раз в день' },
    ),
    saved: text('Settings saved.', 'Настройки сохранены.'),
    options: text<Record<NotificationKind, string>>(
      {
        dispute: 'a verdict that I can decide is disputed',
        decision: 'my dispute is decided',
        comment: 'somebody comments on my call or replies to me',
        mention: 'somebody mentions me',
        assignment: 'I should listen to a call',
        criticalMiss: 'a call of my department misses a critical rule',
        weeklyReport: 'the weekly report is ready',
        view: 'a call enters a view to which I subscribed',
      },
      {
        dispute: 'оспорен вердикт, который решаю я',
        decision: 'рассмотрено моё возражение',
        comment: 'комментируют мой звонок или отвечают мне',
        mention: 'меня упоминают',
        assignment: 'мне назначают звонок',
        criticalMiss: 'в звонке моего отдела не выполнено критичное правило',
        weeklyReport: 'готов отчёт за неделю',
        view: 'звонок попадает в вид с уведомлениями',
      },
    ),
  },
}
