import { both } from './translation.ts'
import { formRu } from './grammar.ts'

type Rule = (limit: string) => string

/** The rules of fields, as the API words them in a 400 and as they stand beside the field. */
export const rules = {
  required: both('Fill this in.', 'Заполните это поле.'),
  atLeast: both<Rule>(
    (limit) => `At least ${limit}.`,
    (limit) => `Не меньше ${limit}.`,
  ),
  atMost: both<Rule>(
    (limit) => `At most ${limit}.`,
    (limit) => `Не больше ${limit}.`,
  ),
  minLength: both<Rule>(
    (limit) => `At least ${limit} characters.`,
    (limit) => `Не короче ${limit} ${formRu(Number(limit), 'символа', 'символов', 'символов')}.`,
  ),
  maxLength: both<Rule>(
    (limit) => `At most ${limit} characters.`,
    (limit) => `Не длиннее ${limit} ${formRu(Number(limit), 'символа', 'символов', 'символов')}.`,
  ),
  oneOf: both<Rule>(
    (limit) => `One of ${limit}.`,
    (limit) => `Одно из: ${limit}.`,
  ),
  number: both('A number.', 'Число.'),
  integer: both('A whole number.', 'Целое число.'),
  time: both(
    'A date and a time from 1970 on, such as 21 Nov 2026 14:30.',
    'Дата и время с 1970 года, например 21.11.2026 14:30.',
  ),
  day: both('A day such as 21 Nov 2026.', 'Дата, например 21.11.2026.'),
  week: both('A week such as 2026-W12 that is over.', 'Прошедшая неделя, например 2026-W12.'),
  backwards: both('It lies after the end.', 'Это позже конца.'),
  daysBefore: both<Rule>(
    (limit) => `At most ${limit} days before the end.`,
    (limit) => `Не раньше чем за ${limit} ${formRu(Number(limit), 'день', 'дня', 'дней')} до конца.`,
  ),
  digits: both('At least one digit.', 'Хотя бы одна цифра.'),
  line: both('Text without control characters.', 'Текст без управляющих символов.'),
  email: both('An e-mail address.', 'Адрес электронной почты.'),
  link: {
    notHttp: both(
      'An address that begins with http:// or https://.',
      'Адрес, который начинается с http:// или https://.',
    ),
    space: both(
      'An address without spaces and line breaks. Write a space as %20.',
      'Адрес без пробелов и переносов строки. Пробел записывается как %20.',
    ),
    character: both(
      'An address without backslashes and control characters.',
      'Адрес без обратных косых черт и управляющих символов.',
    ),
    inside: both(
      'It leads into a private network, where the service does not go.',
      'Ведёт во внутреннюю сеть, куда сервис не обращается.',
    ),
    password: both('An address without a user name and a password.', 'Адрес без имени пользователя и пароля.'),
    port: both<Rule>(
      (port) => `The service does not use port ${port}.`,
      (port) => `Сервис не обращается к порту ${port}.`,
    ),
  },
  notAccepted: both('This was not accepted. See beside the fields why.', 'Не принято. Причины — рядом с полями.'),
}
