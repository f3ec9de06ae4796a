import { text, template } from '../frame/words/translation.ts'
import { retryInSecondsText } from '../frame/words/grammar.ts'

export const accountWords = {
  title: text('My account', 'Мой профиль'),
  email: text('E-mail', 'Эл. почта'),
  role: text('Role', 'Роль'),
  departments: text('Departments', 'Отделы'),
  language: {
    title: text('Language', 'Язык'),
    label: text('Language of the panel', 'Язык панели'),
    browser: text('as the browser says', 'как в браузере'),
    saved: text('The language is saved.', 'Язык сохранён.'),
  },
  password: {
    title: text('Password', 'Пароль'),
    current: text('Current password', 'Текущий пароль'),
    next: text('New password', 'Новый пароль'),
    hint: text('At least 8 characters.', 'Не короче 8 символов.'),
    about: text('All your other sessions end.', 'Остальные ваши сеансы завершатся.'),
    submit: text('Change password', 'Сменить пароль'),
    must: text(
      'Your password was given to you. Choose one of your own: then you can work.',
      'Этот пароль вам выдали. Придумайте свой — после этого можно работать.',
    ),
    changed: text(
      'The password is changed; your other sessions have ended.',
      'Пароль изменён, остальные сеансы завершены.',
    ),
    throttled: text(
      (seconds: number, shown: string) => `Too many wrong passwords. ${retryInSecondsText.en(seconds, shown)}`,
      (seconds, shown) => `Слишком много неверных паролей. ${retryInSecondsText.ru(seconds, shown)}`,
    ),
  },
  sessions: {
    title: text('Sessions', 'Сеансы'),
    browser: text('Browser', 'Браузер'),
    address: text('Address', 'Адрес'),
    began: text('Logged in', 'Вход'),
    seen: text('Last seen', 'Активность'),
    ends: text('Ends', 'Завершится'),
    current: text('this one', 'этот'),
    unknown: text('unknown browser', 'неизвестный браузер'),
    on: template('{} on {}', '{}, {}'),
    end: text('End', 'Завершить'),
    endLabel: template('End the session of {}, {}', 'Завершить сеанс: {}, {}'),
    ended: text('The session has ended.', 'Сеанс завершён.'),
    gone: text('That session had already ended.', 'Этот сеанс уже завершился.'),
    endOthers: text('End all others', 'Завершить остальные'),
    endOthersSure: text(
      'End all sessions but this one? Whoever works in them must log in again.',
      'Завершить все сеансы, кроме этого? В них придётся войти заново.',
    ),
    endOthersNow: text('Yes, end them', 'Да, завершить'),
    othersEnded: text('All other sessions have ended.', 'Остальные сеансы завершены.'),
  },
}
