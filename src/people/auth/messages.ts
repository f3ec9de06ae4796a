import { defineMessages } from '../../platform/lib/messages.ts'

/** Defines the errors of logins, sessions, API keys and the X-See-As header. */
export const authMessages = defineMessages('auth', {
  wrongLogin: { en: 'The e-mail or password is wrong', ru: 'Неверная почта или пароль.' },
  twoSessions: {
    en: 'The request has two different session cookies. Delete the cookies of this site, then log in again',
    ru: 'Браузер отправляет два разных сеанса этого сайта. Удалите cookie этого сайта и войдите снова.',
  },
  noSession: { en: 'Session not found', ru: 'Сеанс не найден.' },
  noKey: { en: 'Active key not found', ru: 'Действующий ключ не найден.' },
  wrongPassword: { en: 'is not your current password', ru: 'Это не ваш текущий пароль.' },
  seeAsOwners: { en: 'Only owners can use {header}', ru: 'Смотреть как другой сотрудник может только владелец.' },
  seeAsReads: {
    en: '{header} is read-only',
    ru: 'Здесь только чтение.',
  },
  seeAsWhom: {
    en: '{header} must name an active department head or manager',
    ru: 'Смотреть можно как руководитель или менеджер с доступом.',
  },
})
