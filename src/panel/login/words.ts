import { text } from '../frame/words/translation.ts'
import { retryInSecondsText } from '../frame/words/grammar.ts'

export const loginWords = {
  title: text('Log in', 'Вход'),
  email: text('E-mail', 'Эл. почта'),
  password: text('Password', 'Пароль'),
  submit: text('Log in', 'Войти'),
  wrong: text('The e-mail or the password is wrong.', 'Неверная почта или пароль.'),
  twoSessions: text(
    'The browser sends two different sessions of this site. Delete the cookies of this site, then log in again.',
    'Браузер отправляет два разных сеанса этого сайта. Удалите cookie этого сайта и войдите снова.',
  ),
  missing: text('Enter your e-mail and your password.', 'Введите почту и пароль.'),
  throttled: text(
    (seconds: number, shown: string) => `Too many failed logins. ${retryInSecondsText.en(seconds, shown)}`,
    (seconds, shown) => `Слишком много попыток входа. ${retryInSecondsText.ru(seconds, shown)}`,
  ),
  down: text('The service does not answer. Try again in a moment.', 'Сервис не отвечает. Повторите через минуту.'),
  insecure: text(
    'The browser drops the session cookie, because this page came over plain HTTP. Open the panel over HTTPS, ' +
      'or set COOKIE_SECURE=false.',
    'Браузер не сохраняет cookie сеанса: страница открыта по HTTP. Откройте панель по HTTPS ' +
      'или задайте COOKIE_SECURE=false.',
  ),
}
