import { defineMessages } from '../../platform/lib/messages.ts'

/** Texts of e-mails, and reasons why an e-mail failed. */
export const emailMessages = defineMessages('email', {
  subject: { en: 'New notifications: {count}', ru: 'Новых уведомлений: {count}' },
  open: { en: 'Open notifications', ru: 'Открыть уведомления' },
  settings: { en: 'Change e-mail settings', ru: 'Настроить письма' },
  dispute: { en: 'Disputes to decide: {count}', ru: 'Оспоренные вердикты: {count}' },
  decision: { en: 'Decisions about your disputes: {count}', ru: 'Ответы на ваши возражения: {count}' },
  comment: { en: 'Comments: {count}', ru: 'Комментарии: {count}' },
  mention: { en: 'Mentions: {count}', ru: 'Упоминания: {count}' },
  assignment: { en: 'Calls to hear: {count}', ru: 'Назначенные звонки: {count}' },
  criticalMiss: { en: 'Missed critical rules: {count}', ru: 'Невыполненные критичные правила: {count}' },
  weeklyReport: { en: 'Weekly reports: {count}', ru: 'Отчёты за неделю: {count}' },
  view: { en: 'New calls in views: {count}', ru: 'Новые звонки в видах: {count}' },

  workerDied: { en: 'the worker stopped before the e-mail was sent', ru: 'сервис остановился до отправки письма' },
  broken: {
    en: 'the service could not send the e-mail; the log has the reason',
    ru: 'сервис не отправил письмо: причина в журнале',
  },
  possiblySent: {
    en: 'possibly sent: the response of the mail server was lost, so the e-mail is not sent again',
    ru: 'возможно, отправлено: ответ почтового сервера потерян, поэтому письмо не отправляется повторно',
  },
  rejected: { en: 'the mail server rejected the e-mail ({code})', ru: 'почтовый сервер не принял письмо ({code})' },
  refused: {
    en: 'the mail server rejected the login or the sender ({code}); check SMTP_URL and SMTP_FROM',
    ru: 'почтовый сервер не принял вход или отправителя ({code}): проверьте SMTP_URL и SMTP_FROM',
  },
  lost: {
    en: 'the connection to the mail server failed ({code})',
    ru: 'нет связи с почтовым сервером: {code}',
  },
})
