import { defineMessages } from '../lib/messages.ts'

/** Defines the errors that belong to no single feature. */
export const httpMessages = defineMessages('http', {
  unauthorized: { en: 'Missing or invalid credentials', ru: 'Войдите снова.' },
  // Integrations can compare this text and the one above.
  forbidden: { en: 'Your role does not allow this', ru: 'У вас нет доступа.' },
  notFound: { en: 'Not found', ru: 'Не найдено.' },
  methodNotAllowed: { en: 'This address accepts only {methods}', ru: 'Этот адрес принимает только {methods}.' },
  unsupportedMediaType: { en: 'The body must be {expected}', ru: 'Формат запроса должен быть {expected}.' },
  compressed: {
    en: 'The body must not be compressed. Send it without Content-Encoding',
    ru: 'Запрос сжат. Отправьте его без сжатия.',
  },
  foreignPage: { en: 'The request comes from another site', ru: 'Запрос пришёл с другого сайта.' },
  addressTooLong: { en: 'The address must have at most {limit} characters', ru: 'Адрес длиннее {limit} символов.' },
  brokenPath: {
    en: 'The path contains an invalid percent-encoded character',
    ru: 'В адресе неверно закодирован символ.',
  },
  bodyTooLarge: { en: 'The JSON body must not exceed {limit}', ru: 'Запрос больше {limit}.' },
  publicBodyTooLarge: { en: 'The JSON body must not exceed {limit} here', ru: 'Запрос больше {limit}.' },
  notJson: { en: 'The body is not valid JSON', ru: 'Запрос не в формате JSON.' },
  jsonTooComplex: {
    en: 'The JSON body has more than {levels} levels or {values} values',
    ru: 'В запросе больше {levels} уровней вложенности или {values} значений.',
  },
  notUtf8: {
    en: 'The body is not valid JSON: it is not UTF-8 (\ufffd is written \\ufffd)',
    ru: 'Запрос должен быть в формате JSON и в кодировке UTF-8.',
  },
  bodyCutOff: {
    en: 'The connection was lost before the body arrived',
    ru: 'Связь прервалась, запрос пришёл не полностью.',
  },
  bodyLate: { en: 'The body did not arrive within {seconds} seconds', ru: 'Запрос не пришёл за {seconds} с.' },
  anotherFile: { en: 'The file has changed. Start again', ru: 'Файл изменился. Начните заново.' },
  outsideFile: { en: 'The range is outside the file', ru: 'Такой части в файле нет.' },
  noSound: { en: 'The recording is no longer stored', ru: 'Запись больше не хранится.' },
  tooManyLogins: {
    en: 'Too many failed logins. Try again in {seconds} seconds',
    ru: 'Слишком много попыток входа. Повторите через {seconds} с.',
  },
  storageAway: {
    en: 'The audio storage is not responding. Try again',
    ru: 'Хранилище записей не отвечает. Повторите позже.',
  },
  databaseAway: { en: 'The database is not responding. Try again', ru: 'База данных не отвечает. Повторите позже.' },
  databaseSlow: {
    en: 'The request took too long. Narrow the request or try again',
    ru: 'Запрос выполнялся слишком долго. Сузьте его или повторите.',
  },
  storageFull: { en: 'The storage is full. Nothing was stored', ru: 'Хранилище заполнено. Ничего не сохранено.' },
  broken: {
    en: 'Something went wrong. Try again; the log has the reason',
    ru: 'Что-то пошло не так. Повторите; причина в журнале.',
  },
})

/** Defines the rules for request fields. Each English text continues a sentence that begins with the field name. */
export const fieldRuleMessages = defineMessages('rule', {
  unknownField: { en: 'is not a known field', ru: 'Такого поля нет.' },
  required: { en: 'is required', ru: 'Заполните это поле.' },
  once: { en: 'must be given only once', ru: 'Укажите один раз.' },
  oneOf: { en: 'must be one of {values}', ru: 'Допустимо: {values}.' },
  type: { en: 'must be a {type}', ru: 'Нужно: {type}.' },
  typeAn: { en: 'must be an {type}', ru: 'Нужно: {type}.' },
  atLeast: { en: 'must be at least {limit}', ru: 'Не меньше {limit}.' },
  atMost: { en: 'must be at most {limit}', ru: 'Не больше {limit}.' },
  notEmpty: { en: 'must not be empty', ru: 'Заполните это поле.' },
  minLength: { en: 'must have at least {limit} characters', ru: 'Не короче {limit} символов.' },
  maxLength: { en: 'must have at most {limit} characters', ru: 'Не длиннее {limit} символов.' },
  minItems: { en: 'must contain {limit} or more items', ru: 'Не меньше {limit}.' },
  maxItems: { en: 'must contain at most {limit} items', ru: 'Не больше {limit}.' },
  time: {
    en: 'must be an ISO 8601 time such as 2026-03-01T10:00:00+03:00, from 1970 on',
    ru: 'Введите дату и время не раньше 1970 года, например 21.11.2026 14:30.',
  },
  dayOrTime: {
    en: 'must be an ISO 8601 time such as 2026-03-01T10:00:00+03:00, or a day such as 2026-03-01',
    ru: 'Введите дату, например 21.11.2026.',
  },
  digits: { en: 'must have at least one digit', ru: 'Нужна хотя бы одна цифра.' },
  line: {
    en: 'must be text without control characters, and not blank',
    ru: 'Нужен непустой текст без управляющих символов.',
  },
  noNul: { en: 'must not contain the character NUL', ru: 'Уберите символ NUL.' },
  crmId: { en: 'must be an id of the CRM: 1 to 18 digits', ru: 'Нужен id из CRM: от 1 до 18 цифр.' },
  email: { en: 'must be an e-mail address', ru: 'Введите адрес почты.' },
  uuid: { en: 'must be a UUID', ru: 'Нужен UUID.' },
  uuids: { en: 'must contain only UUIDs', ru: 'Все значения должны быть UUID.' },
  format: { en: 'must be a valid {format}', ru: 'Неверный формат.' },
  pattern: { en: 'must match pattern "{pattern}"', ru: 'Неверный формат.' },
  other: { en: '{rule}', ru: 'Значение не подходит.' },
  notValid: { en: 'is not valid', ru: 'Значение не подходит.' },
})

/** Defines the errors of multipart forms and their files. */
export const formMessages = defineMessages('form', {
  tooLarge: { en: 'The file is larger than {limit} MB', ru: 'Файл больше {limit} МБ.' },
  broken: { en: 'The multipart body is invalid: {reason}', ru: 'Форма пришла повреждённой.' },
  text: { en: 'must be text in UTF-8', ru: 'Текст не в UTF-8.' },
  unexpectedFile: {
    en: 'is an unexpected file. Send one file in the part “file”',
    ru: 'Лишний файл. Отправьте один файл в поле «file».',
  },
  filePart: { en: 'must be a file with a file name', ru: 'Нужен файл с именем.' },
  emptyFile: { en: 'must not be empty', ru: 'Файл пуст.' },
  filePartAlone: { en: 'must be one file with a file name', ru: 'Нужен ровно один файл с именем.' },
  tooLong: { en: 'is too long or misplaced', ru: 'Поле слишком длинное или стоит не на месте.' },
  tooMuch: {
    en: 'The form has too many or too long parts',
    ru: 'В форме слишком много частей, или они слишком длинные.',
  },
})
