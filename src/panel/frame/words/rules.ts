import { textTemplate, text } from './translation.ts'
import { selectPluralRu } from './grammar.ts'

type LimitText = (limit: string) => string

/** Messages for fields that the panel validates itself, such as the filters of a list. */
export const fieldRuleWords = {
  required: text('Fill in this field.', 'Заполните это поле.'),
  atLeast: textTemplate('At least {}.', 'Не меньше {}.'),
  atMost: textTemplate('At most {}.', 'Не больше {}.'),
  minLength: text<LimitText>(
    (limit) => `At least ${limit} characters.`,
    (limit) => `Не короче ${limit} ${selectPluralRu(Number(limit), 'символа', 'символов', 'символов')}.`,
  ),
  maxLength: text<LimitText>(
    (limit) => `At most ${limit} characters.`,
    (limit) => `Не длиннее ${limit} ${selectPluralRu(Number(limit), 'символа', 'символов', 'символов')}.`,
  ),
  oneOf: textTemplate('One of {}.', 'Допустимо: {}.'),
  number: text('Enter a number.', 'Введите число.'),
  integer: text('Enter a whole number.', 'Введите целое число.'),
  day: text('Enter a date such as 21 Nov 2026.', 'Введите дату, например 21.11.2026.'),
  digits: text('At least one digit.', 'Нужна хотя бы одна цифра.'),
  line: text('Remove the control characters.', 'Уберите управляющие символы.'),
  email: text('Enter an e-mail address.', 'Введите адрес почты.'),
  link: {
    notHttp: text(
      'The address must begin with http:// or https://.',
      'Адрес должен начинаться с http:// или https://.',
    ),
  },
  notAccepted: text('Correct the marked fields.', 'Исправьте отмеченные поля.'),
}
