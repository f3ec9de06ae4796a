import { defineMessages, type BilingualText } from '../lib/messages.ts'

/** Defines the errors of links. Each English text continues a sentence that begins with the link. */
export const linkMessages = defineMessages('link', {
  tooLong: { en: 'must have at most {limit} characters', ru: 'Не длиннее {limit} символов.' },
  notHttp: { en: 'must be an http or https URL', ru: 'Адрес должен начинаться с http:// или https://.' },
  space: {
    en: 'must not contain spaces or line breaks; write a space as %20',
    ru: 'Уберите пробелы и переносы строки. Пробел пишется как %20.',
  },
  character: {
    en: 'must not contain backslashes or control characters',
    ru: 'Уберите обратные косые черты и управляющие символы.',
  },
  password: { en: 'must not contain a user name or password', ru: 'Уберите имя пользователя и пароль.' },
  port: { en: 'must not use port {port}', ru: 'Порт {port} запрещён.' },
  privateAddress: {
    en: 'must not point to a private, local or reserved address',
    ru: 'Адрес внутренней сети запрещён.',
  },
  localName: { en: 'must not point to a local name', ru: 'Адрес внутренней сети запрещён.' },
  nameLeadsInside: {
    en: 'the name points to a private, local or reserved address',
    ru: 'адрес указывает во внутреннюю сеть',
  },
  inTheClear: {
    en: 'must use https, unless it points to a private address',
    ru: 'нужен https, если адрес не во внутренней сети',
  },
  forbidden: { en: 'must not be used: {rule}', ru: '{rule}' },
  redirects: { en: 'redirects more than {limit} times', ru: 'больше {limit} перенаправлений' },
  leadsNowhere: { en: 'redirects without an address', ru: 'перенаправление без адреса' },
  downgrade: { en: 'redirects from https to http', ru: 'перенаправление с https на http' },
  redirectedTo: { en: 'redirects to a link that {rule}', ru: '{rule}' },
  status: { en: 'responds with status {status} instead of a file', ru: 'Сервер вернул код {status} вместо файла.' },
  compressed: { en: 'responds with a compressed body, which was not requested', ru: 'сервер присылает сжатый файл' },
  network: { en: 'could not be reached, or the connection was lost ({code})', ru: 'нет связи: {code}' },
  notWanted: { en: 'is no longer needed: the client closed the connection', ru: 'файл больше не нужен' },
  late: { en: 'did not arrive within {minutes} minutes', ru: 'файл не загружен за {minutes} мин' },
  noAnswer: { en: 'did not respond within {seconds} seconds', ru: 'нет ответа за {seconds} с' },
  silent: { en: 'sent nothing for {seconds} seconds', ru: 'данные не приходили {seconds} с' },
  tooLarge: { en: 'is too large', ru: 'файл слишком большой' },
})

/** Translates error codes of Node, undici and OpenSSL to Russian. */
const NETWORK_ERRORS: [codes: RegExp, meaning: string][] = [
  [/^ECONNREFUSED$/, 'по этому адресу никто не отвечает'],
  [/^(?:ENOTFOUND|EAI_AGAIN|EAI_NODATA)$/, 'сервера с таким именем нет'],
  [/^(?:ECONNRESET|EPIPE|ECONNABORTED|UND_ERR_SOCKET|UND_ERR_ABORTED|HPE_\w+)$/, 'соединение прервалось'],
  [/^(?:ETIMEDOUT|UND_ERR_\w*TIMEOUT|TimeoutError)$/, 'сервер не ответил вовремя'],
  [/^(?:EHOSTUNREACH|ENETUNREACH|EHOSTDOWN|ENETDOWN|EADDRNOTAVAIL)$/, 'сервер недоступен'],
  [/CERT|SSL|TLS|SIGNATURE/, 'сертификат сервера не вызывает доверия'],
]

/** Makes a placeholder value from a network error code. English texts show the code, Russian texts its meaning. */
export const translateNetworkError = (code: string): BilingualText => ({
  en: code,
  ru: NETWORK_ERRORS.find(([codes]) => codes.test(code))?.[1] ?? code,
})
