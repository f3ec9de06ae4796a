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
  day: both('A day such as 21 Nov 2026.', 'Дата, например 21.11.2026.'),
  digits: both('At least one digit.', 'Хотя бы одна цифра.'),
  line: both('Text without control characters.', 'Текст без управляющих символов.'),
  email: both('An e-mail address.', 'Адрес электронной почты.'),
  link: {
    notHttp: both(
      'An address that begins with http:// or https://.',
      'Адрес, который начинается с http:// или https://.',
    ),
  },
  notAccepted: both('This was not accepted. See beside the fields why.', 'Не принято. Причины — рядом с полями.'),
}
