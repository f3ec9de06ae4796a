import { both } from './translation.ts'
import { formRu } from './grammar.ts'

type Count = (shown: string) => string

/** What the network says by its codes, as Node, undici and OpenSSL give them. */
const NETWORK: [codes: RegExp, en: string, ru: string][] = [
  [/^ECONNREFUSED$/, 'nothing listens at the address', 'по этому адресу никто не отвечает'],
  [/^(?:ENOTFOUND|EAI_AGAIN|EAI_NODATA)$/, 'there is no server of this name', 'сервера с таким именем нет'],
  [
    /^(?:ECONNRESET|EPIPE|ECONNABORTED|UND_ERR_SOCKET|UND_ERR_ABORTED|HPE_\w+)$/,
    'the connection broke',
    'соединение прервалось',
  ],
  [
    /^(?:ETIMEDOUT|UND_ERR_\w*TIMEOUT|TimeoutError)$/,
    'the server cannot be reached in time',
    'до сервера не достучаться',
  ],
  [
    /^(?:EHOSTUNREACH|ENETUNREACH|EHOSTDOWN|ENETDOWN|EADDRNOTAVAIL)$/,
    'the server cannot be reached',
    'сервер недоступен',
  ],
  [/CERT|SSL|TLS|SIGNATURE/, 'the server’s certificate is not trusted', 'сертификату сервера нельзя доверять'],
]

const ofCode = (code: string) => NETWORK.find(([codes]) => codes.test(code))

/** Why something failed, as the API notes it of attempts and says it of links. */
export const reasons = {
  noSound: both('The sound is not in the storage any more.', 'Звука больше нет в хранилище.'),
  noRecognizer: both('The recognizer did not finish this file.', 'Распознаватель не закончил этот файл.'),
  recognizerLost: both('The connection to the recognizer broke.', 'Связь с распознавателем прервалась.'),
  ours: both(
    'The service could not process the recording: its log says why.',
    'Сервис не смог обработать запись: причина — в его журнале.',
  ),
  workerStopped: both(
    'The service stopped in the middle of the transcription.',
    'Сервис остановился посреди распознавания.',
  ),
  movedOn: both(
    'The recording has changed since: what this tells is not so any more.',
    'Запись с тех пор изменилась: это уведомление устарело.',
  ),
  noAnswer: both<Count>(
    (seconds) => `no answer within ${seconds} seconds`,
    (seconds) => `нет ответа за ${seconds} ${formRu(Number(seconds), 'секунду', 'секунды', 'секунд')}`,
  ),
  silent: both<Count>(
    (seconds) => `nothing came for ${seconds} seconds`,
    (seconds) => `${seconds} ${formRu(Number(seconds), 'секунду', 'секунды', 'секунд')} ничего не приходило`,
  ),
  tooSlow: both<Count>(
    (minutes) => `the file did not come whole within ${minutes} minutes`,
    (minutes) => `файл не пришёл целиком за ${minutes} ${formRu(Number(minutes), 'минуту', 'минуты', 'минут')}`,
  ),
  inside: both('the address leads into a private network', 'адрес ведёт во внутреннюю сеть'),
  redirects: both('the address leads on to others without end', 'адрес без конца ведёт на другие'),
  leadsNowhere: both('the address leads on without saying where', 'адрес ведёт дальше, но не сказано куда'),
  downgrade: both(
    'the address leads from an encrypted connection to an open one',
    'адрес ведёт с защищённого соединения на открытое',
  ),
  compressed: both('the file comes compressed', 'файл приходит сжатым'),
  status: both<Count>(
    (status) => `The server answers with status ${status} instead of a file.`,
    (status) => `Вместо файла сервер отвечает кодом ${status}.`,
  ),
  networkFailed: both<Count>(
    (code) => ofCode(code)?.[1] ?? `the network failed (${code})`,
    (code) => ofCode(code)?.[2] ?? `ошибка сети (${code})`,
  ),
}
