import { text } from '../frame/words/translation.ts'
import { retryInSecondsText } from '../frame/words/grammar.ts'

export const loginWords = {
  title: text('Log in', 'Вход'),
  email: text('E-mail', 'Почта'),
  password: text('Password', 'Пароль'),
  submit: text('Log in', 'Войти'),
  wrong: text('The e-mail or password is wrong.', 'Неверная почта или пароль.'),
  twoSessions: text(
    'The browser sends two different sessions. Delete the cookies of this site and log in again.',
    'Браузер отправляет два разных сеанса. Удалите cookie этого сайта и войдите снова.',
  ),
  missing: text('Enter your e-mail and password.', 'Введите почту и пароль.'),
  throttled: text(
    (seconds: number, shown: string) => `Too many failed logins. ${retryInSecondsText.en(seconds, shown)}`,
    (seconds, shown) => `Слишком много попыток входа. ${retryInSecondsText.ru(seconds, shown)}`,
  ),
  down: text('The service is not responding. Try again in a minute.', 'Сервис не отвечает. Повторите через минуту.'),
  insecure: text(
    'The browser drops the session cookie, because this page was loaded over plain HTTP. Open the panel over HTTPS, ' +
      'or set COOKIE_SECURE=false.',
    'Браузер не сохраняет cookie сеанса: страница открыта по HTTP. Откройте панель по HTTPS ' +
      'или задайте COOKIE_SECURE=false.',
  ),
}
