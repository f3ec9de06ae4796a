import { defineMessages } from '../lib/messages.ts'

/** Errors of requests of any operation. */
export const httpMessages = defineMessages('http', {
  unauthorized: { en: 'Missing or invalid credentials', ru: 'Нужно войти.' },
  forbidden: { en: 'Your role does not allow this', ru: 'Ваша роль этого не позволяет.' },
  notFound: { en: 'Not found', ru: 'Не найдено.' },
  methodNotAllowed: { en: 'This address takes {methods}', ru: 'По этому адресу можно только {methods}.' },
  unsupportedMediaType: { en: 'The body must be {expected}', ru: 'Тело запроса должно быть другого вида: {expected}.' },
  compressed: {
    en: 'The body must not be compressed: send it without Content-Encoding',
    ru: 'Тело запроса сжато; нужно без сжатия.',
  },
  foreignPage: { en: 'The request comes from a foreign page', ru: 'Запрос пришёл с чужой страницы.' },
  addressTooLong: { en: 'The address must have at most {limit} characters', ru: 'Адрес длиннее {limit} символов.' },
  brokenPath: {
    en: 'The path holds a percent sign that begins no character in UTF-8',
    ru: 'В адресе знак процента, за которым нет символа.',
  },
  bodyTooLarge: { en: 'The JSON body must not exceed {limit}', ru: 'Запрос больше {limit}.' },
  publicBodyTooLarge: { en: 'The JSON body must not exceed {limit} here', ru: 'Запрос больше {limit}.' },
  notJson: { en: 'The body is not valid JSON', ru: 'Тело запроса — не JSON.' },
  jsonTooComplex: {
    en: 'The JSON body has more than {levels} levels or {values} values',
    ru: 'В запросе больше {levels} уровней вложенности или {values} значений.',
  },
  notUtf8: {
    en: 'The body is not valid JSON: it is not UTF-8 (\ufffd is written \\ufffd)',
    ru: 'Тело запроса — не JSON в UTF-8.',
  },
  bodyCutOff: { en: 'The connection ended before the body did', ru: 'Запрос пришёл не весь: связь прервалась.' },
  bodyLate: { en: 'The body did not arrive within {seconds} seconds', ru: 'Запрос не пришёл за {seconds} с.' },
  anotherFile: { en: 'The file is not the one that the request is meant for', ru: 'Это уже другой файл.' },
  outsideFile: { en: 'The range lies outside the file', ru: 'Такой части в файле нет.' },
  noSound: { en: 'The audio is not in the storage any more', ru: 'Звука больше нет в хранилище.' },
  tooManyLogins: {
    en: 'Too many failed logins. Try again in {seconds} seconds',
    ru: 'Слишком много попыток входа. Повторите через {seconds} с.',
  },
  storageAway: { en: 'The storage does not answer. Try again', ru: 'Хранилище звука не отвечает. Повторите позже.' },
  databaseAway: { en: 'The database does not answer. Try again', ru: 'База данных не отвечает. Повторите позже.' },
  databaseSlow: {
    en: 'The database took too long for this. Ask for less, or try again',
    ru: 'Это заняло у базы данных слишком много времени. Спросите о меньшем или повторите.',
  },
  storageFull: { en: 'The storage is full. Nothing was kept', ru: 'Хранилище заполнено; ничего не сохранено.' },
  broken: {
    en: 'Something went wrong on our side. Try again; the log holds the reason',
    ru: 'У сервиса что-то сломалось. Повторите; причина — в его журнале.',
  },
})

/** The rules of fields; each describes one field. */
export const ruleMessages = defineMessages('rule', {
  unknownField: { en: 'is not a known field', ru: 'Такого поля нет.' },
  unknownParameter: { en: 'is not a known parameter', ru: 'Такого параметра нет.' },
  required: { en: 'is required', ru: 'Заполните это поле.' },
  once: { en: 'must be given once', ru: 'Укажите это один раз.' },
  oneOf: { en: 'must be one of {values}', ru: 'Одно из: {values}.' },
  type: { en: 'must be a {type}', ru: 'Нужно: {type}.' },
  typeAn: { en: 'must be an {type}', ru: 'Нужно: {type}.' },
  atLeast: { en: 'must be at least {limit}', ru: 'Не меньше {limit}.' },
  atMost: { en: 'must be at most {limit}', ru: 'Не больше {limit}.' },
  notEmpty: { en: 'must not be empty', ru: 'Заполните это поле.' },
  minLength: { en: 'must have at least {limit} characters', ru: 'Не короче {limit} символов.' },
  maxLength: { en: 'must have at most {limit} characters', ru: 'Не длиннее {limit} символов.' },
  minItems: { en: 'must hold at least {limit}', ru: 'Не меньше {limit}.' },
  maxItems: { en: 'must hold at most {limit}', ru: 'Не больше {limit}.' },
  time: {
    en: 'must be an ISO 8601 time such as 2026-03-01T10:00:00+03:00, from 1970 on',
    ru: 'Дата и время с 1970 года, например 21.11.2026 14:30.',
  },
  dayOrTime: {
    en: 'must be an ISO 8601 time such as 2026-03-01T10:00:00+03:00, or a day such as 2026-03-01',
    ru: 'Дата, например 21.11.2026.',
  },
  digits: { en: 'must hold at least one digit', ru: 'Хотя бы одна цифра.' },
  line: { en: 'must be text without control characters', ru: 'Текст без управляющих символов.' },
  email: { en: 'must be an e-mail address', ru: 'Адрес электронной почты.' },
  uuid: { en: 'must be a UUID', ru: 'Нужен UUID.' },
  format: { en: 'must be a valid {format}', ru: 'Написано не так, как нужно.' },
  pattern: { en: 'must match pattern "{pattern}"', ru: 'Написано не так, как нужно.' },
  other: { en: '{rule}', ru: 'Значение не подходит.' },
  notValid: { en: 'is not valid', ru: 'Значение не подходит.' },
})

/** Errors of forms and their files. */
export const formMessages = defineMessages('form', {
  tooLarge: { en: 'The file is larger than {limit} MB', ru: 'Файл больше {limit} МБ.' },
  broken: { en: 'The multipart body is broken: {reason}', ru: 'Форма пришла повреждённой.' },
  text: { en: 'must be text in UTF-8', ru: 'Текст не в UTF-8.' },
  unexpectedFile: {
    en: 'is a file part that is not expected: send one file, in the part «file»',
    ru: 'Здесь файла быть не должно: отправьте один файл, в поле «file».',
  },
  filePart: { en: 'must be a file part, with a file name', ru: 'Здесь должен быть файл с именем.' },
  emptyFile: { en: 'must not be empty', ru: 'Файл пуст.' },
  filePartAlone: { en: 'must be a file part, with a file name, alone', ru: 'Здесь должен быть один файл с именем.' },
  tooLong: { en: 'is too long or misplaced', ru: 'Слишком длинно или не на месте.' },
  tooMuch: {
    en: 'The form has too many or too long parts',
    ru: 'В форме слишком много частей, или они слишком длинные.',
  },
})
