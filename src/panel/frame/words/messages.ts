import { formRu } from './grammar.ts'
import { both } from './translation.ts'
import { reasons } from './reasons.ts'
import { rules } from './rules.ts'
import { inRussian, saying, type Sayings } from './sayings.ts'

const itself = (name: string) => saying(both((said: string) => said, (said) => said), name) // prettier-ignore
const seconds = (n: string | undefined): string => `${n} ${formRu(Number(n), 'секунду', 'секунды', 'секунд')}`

/** The rules of fields, by http/messages.ts. */
const ruleSayings: Sayings = {
  'rule.unknownField': inRussian('Такого поля нет.'),
  'rule.unknownParameter': inRussian('Такого параметра нет.'),
  'rule.required': rules.required,
  'rule.once': inRussian('Укажите это один раз.'),
  'rule.notEmpty': rules.required,
  'rule.oneOf': saying(rules.oneOf, 'values'),
  'rule.type': inRussian(({ type }) => (type === 'number' ? rules.number.ru : 'Не тот вид значения.')),
  'rule.typeAn': inRussian(({ type }) => (type === 'integer' ? rules.integer.ru : 'Не тот вид значения.')),
  'rule.atLeast': saying(rules.atLeast, 'limit'),
  'rule.atMost': saying(rules.atMost, 'limit'),
  'rule.minLength': saying(rules.minLength, 'limit'),
  'rule.maxLength': saying(rules.maxLength, 'limit'),
  'rule.minItems': saying(rules.atLeast, 'limit'),
  'rule.maxItems': saying(rules.atMost, 'limit'),
  'rule.time': rules.time,
  'rule.dayOrTime': rules.day,
  'rule.digits': rules.digits,
  'rule.line': rules.line,
  'rule.email': rules.email,
  'rule.uuid': inRussian('Нужен UUID.'),
  'rule.format': inRussian('Написано не так, как нужно.'),
  'rule.pattern': inRussian('Написано не так, как нужно.'),
  'rule.other': inRussian('Значение не подходит.'),
  'rule.notValid': inRussian('Значение не подходит.'),
}

/** Links, by outbound/messages.ts. */
const linkSayings: Sayings = {
  'link.tooLong': saying(rules.maxLength, 'limit'),
  'link.notHttp': rules.link.notHttp,
  'link.password': rules.link.password,
  'link.port': saying(rules.link.port, 'port'),
  'link.privateAddress': rules.link.inside,
  'link.localName': rules.link.inside,
  'link.nameLeadsInside': reasons.inside,
  'link.inTheClear': inRussian('нужен https, если адрес не во внутренней сети'),
  'link.forbidden': itself('rule'),
  'link.redirects': reasons.redirects,
  'link.leadsNowhere': reasons.leadsNowhere,
  'link.downgrade': reasons.downgrade,
  'link.redirectedTo': itself('rule'),
  'link.status': saying(reasons.status, 'status'),
  'link.compressed': reasons.compressed,
  'link.network': saying(reasons.networkFailed, 'code'),
  'link.notWanted': inRussian('тем временем файл стал не нужен'),
  'link.late': saying(reasons.tooSlow, 'minutes'),
  'link.noAnswer': saying(reasons.noAnswer, 'seconds'),
  'link.silent': saying(reasons.silent, 'seconds'),
  'link.tooLarge': inRussian('файл слишком велик'),
}

/** What no page owns: requests, forms, connections, queues. */
export const frameSayings: Sayings = {
  ...ruleSayings,
  ...linkSayings,
  'http.unauthorized': inRussian('Нужно войти.'),
  'http.forbidden': inRussian('Ваша роль этого не позволяет.'),
  'http.notFound': inRussian('Не найдено.'),
  'http.methodNotAllowed': inRussian(({ methods }) => `По этому адресу можно только ${methods}.`),
  'http.unsupportedMediaType': inRussian('Тело запроса другого вида, чем нужно.'),
  'http.compressed': inRussian('Тело запроса сжато; нужно без сжатия.'),
  'http.foreignPage': inRussian('Запрос пришёл с чужой страницы.'),
  'http.addressTooLong': inRussian(({ limit }) => `Адрес длиннее ${limit} символов.`),
  'http.brokenPath': inRussian('В адресе знак процента, за которым нет символа.'),
  'http.bodyTooLarge': inRussian(({ limit }) => `Запрос больше ${limit}.`),
  'http.publicBodyTooLarge': inRussian(({ limit }) => `Запрос больше ${limit}.`),
  'http.notJson': inRussian('Тело запроса — не JSON.'),
  'http.notUtf8': inRussian('Тело запроса — не JSON в UTF-8.'),
  'http.bodyCutOff': inRussian('Запрос пришёл не весь: связь прервалась.'),
  'http.bodyLate': inRussian((values) => `Запрос не пришёл за ${seconds(values.seconds)}.`),
  'http.anotherFile': inRussian('Это уже другой файл.'),
  'http.outsideFile': inRussian('Такой части в файле нет.'),
  'http.noSound': reasons.noSound,
  'http.tooManyLogins': inRussian(
    (values) => `Слишком много попыток входа. Повторите через ${seconds(values.seconds)}.`,
  ),
  'http.storageAway': inRussian('Хранилище звука не отвечает. Повторите позже.'),
  'http.databaseAway': inRussian('База данных не отвечает. Повторите позже.'),
  'http.databaseSlow': inRussian('Это заняло у базы данных слишком много времени. Спросите о меньшем или повторите.'),
  'http.storageFull': inRussian('Хранилище заполнено; ничего не сохранено.'),
  'http.broken': inRussian('У сервиса что-то сломалось. Повторите; причина — в его журнале.'),
  'form.broken': inRussian('Форма пришла повреждённой.'),
  'form.text': inRussian('Текст не в UTF-8.'),
  'form.unexpectedFile': inRussian('Здесь файла быть не должно: отправьте один файл, в поле «file».'),
  'form.filePart': inRussian('Здесь должен быть файл с именем.'),
  'form.filePartAlone': inRussian('Здесь должен быть один файл с именем.'),
  'form.tooLong': inRussian('Слишком длинно или не на месте.'),
  'form.tooMuch': inRussian('В форме слишком много частей, или они слишком длинные.'),
  'connection.headersTooLong': inRussian('Адрес или заголовки слишком длинные.'),
  'connection.requestLate': inRussian('Запрос шёл слишком долго.'),
  'connection.noMethod': inRussian('Такого метода нет.'),
  'connection.hostTwice': inRussian('Заголовок Host стоит больше одного раза.'),
  'connection.hostMissing': inRussian('Заголовка Host нет.'),
  'connection.noHost': inRussian('В заголовке Host нет адреса сервера.'),
  'connection.encoding': inRussian('Из Transfer-Encoding можно только chunked.'),
  'connection.noProxy': inRussian('Это не прокси.'),
  'connection.invalid': inRussian('Это не запрос HTTP.'),
}
