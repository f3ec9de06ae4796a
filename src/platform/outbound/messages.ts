import { defineMessages, type Bilingual } from '../lib/messages.ts'

/** Errors of a link; each continues a sentence that names the link. */
export const linkMessages = defineMessages('link', {
  tooLong: { en: 'must have at most {limit} characters', ru: 'Не длиннее {limit} символов.' },
  notHttp: { en: 'must be an http or https URL', ru: 'Адрес, который начинается с http:// или https://.' },
  space: {
    en: 'must not contain spaces or line breaks; write a space as %20',
    ru: 'Адрес без пробелов и переносов строки. Пробел записывается как %20.',
  },
  character: {
    en: 'must not contain backslashes or control characters',
    ru: 'Адрес без обратных косых черт и управляющих символов.',
  },
  password: { en: 'must not carry a user name or password', ru: 'Адрес без имени пользователя и пароля.' },
  port: { en: 'must not use port {port}', ru: 'Сервис не обращается к порту {port}.' },
  privateAddress: {
    en: 'must not lead to a private, local or reserved address',
    ru: 'Ведёт во внутреннюю сеть, куда сервис не обращается.',
  },
  localName: { en: 'must not lead to a local name', ru: 'Ведёт во внутреннюю сеть, куда сервис не обращается.' },
  nameLeadsInside: {
    en: 'the name leads to a private, local or reserved address',
    ru: 'адрес ведёт во внутреннюю сеть',
  },
  inTheClear: {
    en: 'must be https, unless it leads to a private address',
    ru: 'нужен https, если адрес не во внутренней сети',
  },
  forbidden: { en: 'must not be used: {rule}', ru: '{rule}' },
  redirects: { en: 'redirects more than {limit} times', ru: 'адрес ведёт на другие больше {limit} раз' },
  leadsNowhere: { en: 'redirects without saying where to', ru: 'адрес ведёт дальше, но не сказано куда' },
  downgrade: { en: 'redirects from https to http', ru: 'адрес ведёт с защищённого соединения на открытое' },
  redirectedTo: { en: 'redirects to a link that {rule}', ru: '{rule}' },
  status: { en: 'answers with status {status} instead of a file', ru: 'Вместо файла сервер отвечает кодом {status}.' },
  compressed: { en: 'answers with a compressed body, which was not asked for', ru: 'файл приходит сжатым' },
  network: { en: 'cannot be reached or broke off ({code})', ru: 'нет связи: {code}' },
  notWanted: { en: 'is not wanted any more: the caller went away', ru: 'тем временем файл стал не нужен' },
  late: { en: 'did not arrive whole within {minutes} minutes', ru: 'файл не пришёл целиком за {minutes} мин' },
  noAnswer: { en: 'did not answer within {seconds} seconds', ru: 'нет ответа за {seconds} с' },
  silent: { en: 'sent nothing for {seconds} seconds', ru: '{seconds} с ничего не приходило' },
  tooLarge: { en: 'is too large', ru: 'файл слишком велик' },
})

/** Error codes of Node, undici and OpenSSL in Russian. */
const NETWORK_ERRORS: [codes: RegExp, meaning: string][] = [
  [/^ECONNREFUSED$/, 'по этому адресу никто не отвечает'],
  [/^(?:ENOTFOUND|EAI_AGAIN|EAI_NODATA)$/, 'сервера с таким именем нет'],
  [/^(?:ECONNRESET|EPIPE|ECONNABORTED|UND_ERR_SOCKET|UND_ERR_ABORTED|HPE_\w+)$/, 'соединение прервалось'],
  [/^(?:ETIMEDOUT|UND_ERR_\w*TIMEOUT|TimeoutError)$/, 'до сервера не достучаться'],
  [/^(?:EHOSTUNREACH|ENETUNREACH|EHOSTDOWN|ENETDOWN|EADDRNOTAVAIL)$/, 'сервер недоступен'],
  [/CERT|SSL|TLS|SIGNATURE/, 'сертификату сервера нельзя доверять'],
]

/** An error code of the network as a value of a message. */
export const translateNetworkError = (code: string): Bilingual => ({
  en: code,
  ru: NETWORK_ERRORS.find(([codes]) => codes.test(code))?.[1] ?? code,
})
