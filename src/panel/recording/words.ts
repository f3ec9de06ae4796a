import { text, template } from '../frame/words/translation.ts'
import { pluralTemplate, selectPluralEn, selectPluralRu } from '../frame/words/grammar.ts'
import { checkWords } from './check-words.ts'

const dealWords = {
  title: text('Deals', 'Сделки'),
  outcome: text({ open: 'open', won: 'won', lost: 'lost' }, { open: 'открыта', won: 'выиграна', lost: 'проиграна' }),
  linkedBy: text(
    { person: 'chosen by hand', activity: 'by the CRM', phone: 'by the phone' },
    { person: 'выбрано вручную', activity: 'по CRM', phone: 'по телефону' },
  ),
  none: text('No deal is known of this call.', 'Сделка этого звонка неизвестна.'),
  notRead: text(
    'The CRM links this call to a deal in a funnel that no department has, so it counts for no deal.',
    'В CRM звонок привязан к сделке из воронки, которой нет ни у одного отдела, поэтому он не учтён ни в одной сделке.',
  ),
  ambiguous: text(
    'It may be any of these deals: until somebody chooses, the call counts for none.',
    'Это может быть любая из этих сделок: пока никто не выбрал, звонок не учтён ни в одной.',
  ),
  choose: text('Choose', 'Выбрать'),
  which: text('Which deals it belongs to', 'К каким сделкам относится звонок'),
  other: text('Numbers of other deals', 'Номера других сделок'),
  otherHint: text('As in the CRM, separated by spaces.', 'Как в CRM, через пробел.'),
  chosen: text('The deals are saved.', 'Сделки сохранены.'),
}

/** The meaning of a receiver's response, with the status for its operators. */
const describeResponseEn = (code: number): string =>
  `${describeStatusCode(code)?.[0] ?? 'the receiver answered'} (${code})`
const describeResponseRu = (code: number): string => `${describeStatusCode(code)?.[1] ?? 'ответ получателя'} (${code})`

function describeStatusCode(code: number): [en: string, ru: string] | undefined {
  if (code >= 300 && code < 400) return ['the address leads elsewhere', 'адрес ведёт в другое место']
  if (code === 401 || code === 403) return ['the receiver wants a login', 'получатель требует вход']
  if (code === 404 || code === 410) return ['there is nothing at the address', 'по адресу ничего нет']
  if (code === 408) return ['the receiver waited too long', 'получатель не дождался']
  if (code === 413) return ['too long for the receiver', 'слишком длинно для получателя']
  if (code === 425 || code === 429) return ['the receiver is busy', 'получатель занят']
  if (code >= 500) return ['the receiver has a fault', 'у получателя ошибка']
  return code >= 400 ? ['the receiver refused it', 'получатель отказал'] : undefined
}

export const recordingWords = {
  title: text('Call', 'Звонок'),
  with: text('with', '—'),
  ofClient: template('all calls of this client ({})', 'все звонки этого клиента ({})'),
  list: text('In the list', 'В списке'),
  positionInList: template('{} of {}', '{} из {}'),
  previousCall: text('Previous call (k)', 'Предыдущий звонок (k)'),
  nextCall: text('Next call (j)', 'Следующий звонок (j)'),
  sound: text('Sound', 'Звук'),
  cannotPlay: text(
    'This browser cannot play this sound format. Download it to listen.',
    'Браузер не умеет воспроизводить этот формат. Скачайте звук, чтобы послушать.',
  ),
  cannotLoad: text(
    'The sound does not come. Reload the page; if it happens again, tell the owner.',
    'Звук не загружается. Обновите страницу; если не поможет, скажите владельцу.',
  ),
  noSound: text('The sound of this call is not in the storage.', 'Звука этого звонка в хранилище нет.'),
  downloadAudio: text('Sound', 'Звук'),
  formats: text(
    { txt: 'Text', srt: 'Subtitles SRT', vtt: 'Subtitles VTT', json: 'JSON' },
    { txt: 'Текст', srt: 'Субтитры SRT', vtt: 'Субтитры VTT', json: 'JSON' },
  ),
  deleteSure: text(
    'Delete this recording with its sound and its text? This cannot be undone.',
    'Удалить запись вместе со звуком и текстом? Вернуть её будет нельзя.',
  ),
  deleteNow: text('Delete for good', 'Удалить навсегда'),
  deleted: text('The recording is deleted.', 'Запись удалена.'),
  conflict: text(
    'This was not possible: the recording’s state has changed in the meantime. You see it as it is now.',
    'Не получилось: состояние записи тем временем изменилось. Ниже она такая, какая есть сейчас.',
  ),
  transcript: text('Transcript', 'Текст'),
  noSpeech: text('No speech was found in this recording.', 'Речи в записи нет.'),
  /** Warnings about the audio. */
  audio: {
    channel: template('channel {}', 'канал {}'),
    silent: text('no sound at all', 'звука нет совсем'),
    silentChannel: template('{}: no sound at all', '{}: звука нет совсем'),
    unheard: template('{}: nobody is heard', '{}: никого не слышно'),
    noSpeech: text('nobody speaks', 'никто не говорит'),
    identical: text('both channels are the same', 'оба канала одинаковы'),
    clipped: text('too loud, distorted', 'слишком громко, с искажениями'),
  },
  doubtful: text('The recognizer is not sure of this word', 'Распознаватель не уверен в этом слове'),
  sides: text({ agent: 'Agent', client: 'Client' }, { agent: 'Менеджер', client: 'Клиент' }),
  side: text('Who says it', 'Кто говорит'),
  anySide: text('both sides', 'обе стороны'),
  swap: text('Swap Agent and Client', 'Поменять менеджера и клиента'),
  swapHint: text(
    'Agent and Client are known by the channel. If they are the wrong way round in this call, swap them.',
    'Менеджер и клиент определяются по каналу. Если в этом звонке они перепутаны, поменяйте их.',
  ),
  speech: text('speech', 'речь'),
  silence: text('silence', 'тишина'),
  play: text('Play', 'Слушать'),
  pause: text('Pause', 'Пауза'),
  position: text('Position in the sound', 'Место в звуке'),
  positionOf: text('of', 'из'),
  speed: text('Speed', 'Скорость'),
  space: text('space', 'пробел'),
  copy: text('Copy text', 'Скопировать текст'),
  copied: text('Copied', 'Скопировано'),
  notCopied: text('Not copied, try again', 'Не скопировано, повторите'),
  search: text('Search in this call', 'Поиск в звонке'),
  matches: text(
    (n: number, shown: string) => (n === 0 ? 'no matches' : `${shown} ${selectPluralEn(n, 'match', 'matches')}`),
    (n, shown) => (n === 0 ? 'не найдено' : `${shown} ${selectPluralRu(n, 'совпадение', 'совпадения', 'совпадений')}`),
  ),
  previousMatch: text('Previous match', 'Предыдущее совпадение'),
  nextMatch: text('Next match', 'Следующее совпадение'),
  pauses: text('tried again soon', 'скоро будет новая попытка'),
  playFrom: template('Play from {}', 'Слушать с {}'),
  copyLink: template('Copy link at {}', 'Скопировать ссылку на {}'),
  linkCopied: text('The link is copied.', 'Ссылка скопирована.'),
  part: template('Show {} to {}', 'Показать с {} по {}'),
  turns: pluralTemplate('{} {turn|turns}', '{} {реплика|реплики|реплик}'),
  chapterStart: text('Beginning', 'Начало'),
  chapterAfterPause: template('After {} s of silence', 'После тишины {} с'),
  gist: template('“{}”', '«{}»'),
  speakersUnknown: text('One channel: the speakers are not known', 'Один канал: кто говорит, неизвестно'),
  skipBack: text('5 s back', 'На 5 с назад'),
  skipBackShort: text('−5 s', '−5 с'),
  buffering: text('Loading the sound', 'Звук загружается'),
  waits: text(
    'The text appears here once the call is transcribed.',
    'Текст появится здесь, когда звонок будет распознан.',
  ),
  soFar: text('Understood so far', 'Распознано до сих пор'),
  cancelled: text(
    'The transcription was cancelled. Retry puts the call back into the queue.',
    'Распознавание отменено. «Повторить» вернёт звонок в очередь.',
  ),
  failedAdvice: text('Retry puts the call back into the queue.', '«Повторить» вернёт звонок в очередь.'),
  failedForGood: text(
    'A retry rarely helps here: submit the call again with another file.',
    'Повтор вряд ли поможет: передайте звонок ещё раз другим файлом.',
  ),
  correct: text('Correct', 'Исправить'),
  corrected: text('Corrected.', 'Исправлено.'),
  uploadAnother: text('Upload another file', 'Загрузить другой файл'),
  details: text('Details', 'Подробности'),
  detail: {
    direction: text('Direction', 'Направление'),
    manager: text('Manager', 'Менеджер'),
    phone: text('Phone', 'Телефон'),
    department: text('Department', 'Отдел'),
    callId: text('Call id', 'Номер звонка'),
    source: text('Source', 'Источник'),
    file: text('File', 'Файл'),
    sound: text('Sound', 'Звук'),
    size: text('Size', 'Размер'),
    length: text('Length', 'Длина'),
    model: text('Model', 'Модель'),
    decoder: text('Decoder', 'Декодер'),
    language: text('Language', 'Язык'),
    priority: text('Priority', 'Приоритет'),
    attempts: text('Attempts', 'Попытки'),
    error: text('Error', 'Ошибка'),
    callback: text('Callback', 'Уведомление'),
  },
  check: checkWords,
  deals: dealWords,
  readers: text('Who opened this', 'Кто открывал'),
  history: text('History', 'История'),
  events: {
    received: text('received', 'получена'),
    started: template('attempt {} began', 'началась попытка {}'),
    failedAttempt: template('attempt {} failed: {}', 'попытка {} не удалась: {}'),
    done: text(
      (took: string, attempt: string | null) =>
        `transcribed${took && ` in ${took}`}${attempt === null ? '' : ` (attempt ${attempt})`}`,
      (took, attempt) => `распознана${took && ` за ${took}`}${attempt === null ? '' : ` (попытка ${attempt})`}`,
    ),
    failed: template('failed: {}', 'ошибка: {}'),
    cancelled: text('cancelled', 'отменена'),
    retried: text('put back into the queue', 'возвращена в очередь'),
    callbackWaits: text('callback waits to be sent', 'уведомление ждёт отправки'),
    callbackAccepted: template('callback accepted, {}', 'уведомление принято, {}'),
    callbackRefused: text(
      (code: number) => `callback not accepted: ${describeResponseEn(code)}`,
      (code) => `уведомление не принято: ${describeResponseRu(code)}`,
    ),
    callbackFailed: template('callback not delivered: {}', 'уведомление не доставлено: {}'),
    callbackAgain: template('again at {}', 'снова в {}'),
    callbackGivenUp: text('given up', 'попытки кончились'),
  },
  seconds: template('{} s', '{} с'),
}
