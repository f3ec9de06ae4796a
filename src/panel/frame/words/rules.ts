import { template, text } from './translation.ts'
import { selectPluralRu } from './grammar.ts'

type LimitText = (limit: string) => string

/** The rules of fields, as the API words them in a 400 and as shown beside the field. */
export const fieldRuleWords = {
  required: text('Fill this in.', 'Заполните это поле.'),
  atLeast: template('At least {}.', 'Не меньше {}.'),
  atMost: template('At most {}.', 'Не больше {}.'),
  minLength: text<LimitText>(
    (limit) => `At least ${limit} characters.`,
    (limit) => `Не короче ${limit} ${selectPluralRu(Number(limit), 'символа', 'символов', 'символов')}.`,
  ),
  maxLength: text<LimitText>(
    (limit) => `At most ${limit} characters.`,
    (limit) => `Не длиннее ${limit} ${selectPluralRu(Number(limit), 'символа', 'символов', 'символов')}.`,
  ),
  oneOf: template('One of {}.', 'Одно из: {}.'),
  number: text('A number.', 'Число.'),
  integer: text('A whole number.', 'Целое число.'),
  day: text('A day such as 21 Nov 2026.', 'Дата, например 21.11.2026.'),
  digits: text('At least one digit.', 'Хотя бы одна цифра.'),
  line: text('Text without control characters.', 'Текст без управляющих символов.'),
  email: text('An e-mail address.', 'Адрес электронной почты.'),
  link: {
    notHttp: text(
      'An address that begins with http:// or https://.',
      'Адрес, который начинается с http:// или https://.',
    ),
  },
  notAccepted: text('This was not accepted. See beside the fields why.', 'Не принято. Причины — рядом с полями.'),
}
