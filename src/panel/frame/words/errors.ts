import { text } from './translation.ts'
import { retryInSecondsText } from './grammar.ts'

/** Title and advice of the error pages, by HTTP status. */
export const errorWords = {
  pages: text<Record<number, [title: string, advice: string]>>(
    {
      400: ['Invalid request', 'Go back and try again.'],
      403: ['No access', 'You do not have access. Ask an owner.'],
      404: ['Not found', 'This page or call does not exist, or you have no access to it.'],
      405: ['Invalid request', 'This address does not accept this request. Go back and try again.'],
      408: ['Request timed out', 'The form took too long to arrive. Go back and send it again.'],
      409: ['Data has changed', 'This data has changed. Reload the page.'],
      413: ['Form too large', 'Enter less or choose fewer files, then try again.'],
      429: ['Too many attempts', 'Wait a moment and try again.'],
      500: ['Something went wrong', 'Try again, or report this code:'],
      503: ['The service is not responding', 'Try again in a minute.'],
    },
    {
      400: ['Неверный запрос', 'Вернитесь и повторите.'],
      403: ['Нет доступа', 'У вас нет доступа. Обратитесь к владельцу.'],
      404: ['Не найдено', 'Такой страницы или звонка нет, или у вас нет к ним доступа.'],
      405: ['Неверный запрос', 'Этот адрес не принимает такой запрос. Вернитесь и повторите.'],
      408: ['Время истекло', 'Форма отправлялась слишком долго. Вернитесь и отправьте её снова.'],
      409: ['Данные изменились', 'Данные изменились. Обновите страницу.'],
      413: ['Форма слишком большая', 'Сократите введённое или выберите меньше файлов, затем повторите.'],
      429: ['Слишком много попыток', 'Подождите немного и повторите.'],
      500: ['Что-то пошло не так', 'Повторите или сообщите код:'],
      503: ['Сервис не отвечает', 'Повторите через минуту.'],
    },
  ),
  foreign: text(
    'The request came from another site, so nothing was changed. Try again in the panel.',
    'Запрос пришёл с другого сайта, поэтому ничего не изменено. Повторите действие в панели.',
  ),
  waitSeconds: retryInSecondsText,
  tryAgain: text('Try again', 'Повторить'),
  toRecordings: text('Go to calls', 'К звонкам'),
}
