import { both, template } from '../frame/words/translation.ts'
import { waitSeconds } from '../frame/words/grammar.ts'

/** The page of one's own account. */
export const account = {
  title: both('My account', 'Мой профиль'),
  email: both('E-mail', 'Эл. почта'),
  role: both('Role', 'Роль'),
  departments: both('Departments', 'Отделы'),
  language: {
    title: both('Language', 'Язык'),
    label: both('Language of the panel', 'Язык панели'),
    browser: both('as the browser says', 'как в браузере'),
    saved: both('The language is saved.', 'Язык сохранён.'),
  },
  password: {
    title: both('Password', 'Пароль'),
    current: both('Current password', 'Текущий пароль'),
    next: both('New password', 'Новый пароль'),
    hint: both('At least 8 characters.', 'Не короче 8 символов.'),
    about: both('All your other sessions end.', 'Остальные ваши сеансы завершатся.'),
    submit: both('Change password', 'Сменить пароль'),
    must: both(
      'Your password was given to you. Choose one of your own: then you can work.',
      'Этот пароль вам выдали. Придумайте свой — после этого можно работать.',
    ),
    changed: both(
      'The password is changed; your other sessions have ended.',
      'Пароль изменён, остальные сеансы завершены.',
    ),
    throttled: both(
      (seconds: number, shown: string) => `Too many wrong passwords. ${waitSeconds.en(seconds, shown)}`,
      (seconds, shown) => `Слишком много неверных паролей. ${waitSeconds.ru(seconds, shown)}`,
    ),
  },
  sessions: {
    title: both('Sessions', 'Сеансы'),
    browser: both('Browser', 'Браузер'),
    address: both('Address', 'Адрес'),
    began: both('Logged in', 'Вход'),
    seen: both('Last seen', 'Активность'),
    ends: both('Ends', 'Завершится'),
    current: both('this one', 'этот'),
    unknown: both('unknown browser', 'неизвестный браузер'),
    on: template('{} on {}', '{}, {}'),
    end: both('End', 'Завершить'),
    endLabel: template('End the session of {}, {}', 'Завершить сеанс: {}, {}'),
    ended: both('The session has ended.', 'Сеанс завершён.'),
    gone: both('That session had already ended.', 'Этот сеанс уже завершился.'),
    endOthers: both('End all others', 'Завершить остальные'),
    endOthersSure: both(
      'End all sessions but this one? Whoever works in them must log in again.',
      'Завершить все сеансы, кроме этого? В них придётся войти заново.',
    ),
    endOthersNow: both('Yes, end them', 'Да, завершить'),
    othersEnded: both('All other sessions have ended.', 'Остальные сеансы завершены.'),
  },
}
