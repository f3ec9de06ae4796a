import { text } from './translation.ts'
import { retryInSecondsText } from './grammar.ts'

/** The title and advice of each error page. */
export const errorWords = {
  pages: text<Record<number, [title: string, advice: string]>>(
    {
      400: ['Not understood', 'This request cannot be understood. Go back and try again.'],
      403: ['Not allowed', 'Your role does not allow this. Ask the owner if you need it.'],
      404: ['Not found', 'This page or recording does not exist, or it is outside your access.'],
      405: ['Not possible', 'This address does not take such a request.'],
      408: ['Too slow', 'The form did not arrive in time. Go back and send it again.'],
      409: ['Not possible now', 'What you see has changed in the meantime. Go back and look again.'],
      413: ['Too large', 'The form is larger than this page takes.'],
      429: ['Too many attempts', 'Wait a moment, then try again.'],
      500: [
        'Something went wrong',
        'It is our fault, not yours. Try again; the log holds the reason under this number:',
      ],
      503: [
        'The service does not answer',
        'The pages are here, but the API behind them does not answer. Try again soon.',
      ],
    },
    {
      400: ['Непонятно', 'Этот запрос нельзя понять. Вернитесь и повторите.'],
      403: ['Нельзя', 'Ваша роль этого не позволяет. Если это нужно, попросите владельца.'],
      404: ['Не найдено', 'Такой страницы или записи нет, либо у вас нет к ней доступа.'],
      405: ['Невозможно', 'По этому адресу такой запрос не принимается.'],
      408: ['Слишком долго', 'Форма не пришла вовремя. Вернитесь и отправьте её ещё раз.'],
      409: ['Сейчас нельзя', 'Тем временем всё изменилось. Вернитесь и посмотрите ещё раз.'],
      413: ['Слишком много', 'Форма больше, чем принимает эта страница.'],
      429: ['Слишком много попыток', 'Подождите немного и повторите.'],
      500: ['Что-то сломалось', 'Виноваты мы, а не вы. Повторите; причина записана в журнале под этим номером:'],
      503: ['Сервис не отвечает', 'Страницы на месте, но API за ними не отвечает. Повторите чуть позже.'],
    },
  ),
  foreign: text(
    'The request came from a foreign page, so nothing was done. Open the panel and try there.',
    'Запрос пришёл с чужой страницы, поэтому ничего не сделано. Откройте панель и повторите там.',
  ),
  waitSeconds: retryInSecondsText,
  tryAgain: text('Try again', 'Повторить'),
  toRecordings: text('To the recordings', 'К записям'),
}
