import { text, textTemplate } from '../frame/words/translation.ts'
import { retryInSecondsText } from '../frame/words/grammar.ts'

export const accountWords = {
  title: text('My account', 'Мой профиль'),
  email: text('E-mail', 'Почта'),
  role: text('Role', 'Роль'),
  departments: text('Departments', 'Отделы'),
  language: {
    title: text('Language', 'Язык'),
    label: text('Panel language', 'Язык панели'),
    browser: text('Browser language', 'Как в браузере'),
    saved: text('Language saved.', 'Язык сохранён.'),
  },
  password: {
    title: text('Password', 'Пароль'),
    current: text('Current password', 'Текущий пароль'),
    next: text('New password', 'Новый пароль'),
    hint: text('At least 8 characters.', 'Не короче 8 символов.'),
    about: text('Your other sessions will end.', 'Остальные ваши сеансы завершатся.'),
    submit: text('Change password', 'Сменить пароль'),
    must: text('Temporary password. Set your own to continue.', 'Пароль временный. Придумайте свой.'),
    changed: text('Password changed. Your other sessions have ended.', 'Пароль изменён. Остальные сеансы завершены.'),
    throttled: text(
      (seconds: number, shown: string) => `Too many wrong passwords. ${retryInSecondsText.en(seconds, shown)}`,
      (seconds, shown) => `Пароль слишком много раз введён неверно. ${retryInSecondsText.ru(seconds, shown)}`,
    ),
  },
  sessions: {
    title: text('Sessions', 'Сеансы'),
    browser: text('Browser', 'Браузер'),
    address: text('Address', 'Адрес'),
    began: text('Logged in', 'Вход'),
    seen: text('Last active', 'Последняя активность'),
    ends: text('Expires', 'Истекает'),
    current: text('current', 'этот'),
    unknown: text('unknown browser', 'неизвестный браузер'),
    on: textTemplate('{} on {}', '{}, {}'),
    end: text('End', 'Завершить'),
    endLabel: textTemplate('End session: {}, {}', 'Завершить сеанс: {}, {}'),
    ended: text('Session ended.', 'Сеанс завершён.'),
    gone: text('This session has already ended.', 'Этот сеанс уже завершён.'),
    endOthers: text('End other sessions', 'Завершить остальные'),
    endOthersSure: text(
      'End all other sessions? You will have to log in there again.',
      'Завершить остальные сеансы? В них придётся войти заново.',
    ),
    endOthersNow: text('End sessions', 'Завершить сеансы'),
    othersEnded: text('Other sessions ended.', 'Остальные сеансы завершены.'),
  },
}
