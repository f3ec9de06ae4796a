import { defineMessages } from '../../platform/lib/messages.ts'

/** Errors of logins, sessions, keys and the view as somebody else. */
export const authMessages = defineMessages('auth', {
  wrongLogin: { en: 'The e-mail or the password is wrong', ru: 'Почта или пароль неверны.' },
  twoSessions: {
    en: 'The request has two different session cookies. Delete the cookies of this site, then log in again',
    ru: 'Браузер отправляет два разных сеанса этого сайта. Удалите cookie этого сайта и войдите снова.',
  },
  noSession: { en: 'There is no such session', ru: 'Такого сеанса нет.' },
  noKey: { en: 'There is no such key in force', ru: 'Такого действующего ключа нет.' },
  wrongPassword: { en: 'is not your current password', ru: 'Это не ваш текущий пароль.' },
  seeAsOwners: { en: '{header} is for owners alone', ru: 'Смотреть от чужого имени может только владелец.' },
  seeAsReads: {
    en: 'With {header} recordings and people can be read, and nothing else',
    ru: 'От чужого имени можно только смотреть записи и людей.',
  },
  seeAsWhom: {
    en: '{header} must name a head or a manager with access',
    ru: 'Смотреть можно от имени руководителя или менеджера с доступом.',
  },
})
