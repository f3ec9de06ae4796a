import { both, template } from '../frame/words/translation.ts'
import { formEn, formRu } from '../frame/words/grammar.ts'
import { check } from './check-words.ts'
import { deals } from './deals-words.ts'

/** What a receiver means by its answer, with the status for whoever looks after it. */
const answerEn = (code: number): string => `${meant(code)?.[0] ?? 'the receiver answered'} (${code})`
const answerRu = (code: number): string => `${meant(code)?.[1] ?? 'ответ получателя'} (${code})`

function meant(code: number): [en: string, ru: string] | undefined {
  if (code >= 300 && code < 400) return ['the address leads elsewhere', 'адрес ведёт в другое место']
  if (code === 401 || code === 403) return ['the receiver wants a login', 'получатель требует вход']
  if (code === 404 || code === 410) return ['there is nothing at the address', 'по адресу ничего нет']
  if (code === 408) return ['the receiver waited too long', 'получатель не дождался']
  if (code === 413) return ['too long for the receiver', 'слишком длинно для получателя']
  if (code === 425 || code === 429) return ['the receiver is busy', 'получатель занят']
  if (code >= 500) return ['the receiver has a fault', 'у получателя ошибка']
  return code >= 400 ? ['the receiver refused it', 'получатель отказал'] : undefined
}

export const recording = {
  title: both('Call', 'Звонок'),
  with: both('with', '—'),
  ofClient: template('all calls of this client ({})', 'все звонки этого клиента ({})'),
  list: both('In the list', 'В списке'),
  positionInList: template('{} of {}', '{} из {}'),
  previousCall: both('Previous call (k)', 'Предыдущий звонок (k)'),
  nextCall: both('Next call (j)', 'Следующий звонок (j)'),
  sound: both('Sound', 'Звук'),
  cannotPlay: both(
    'This browser cannot play this sound format. Download it to listen.',
    'Браузер не умеет воспроизводить этот формат. Скачайте звук, чтобы послушать.',
  ),
  cannotLoad: both(
    'The sound does not come. Reload the page; if it happens again, tell the owner.',
    'Звук не загружается. Обновите страницу; если не поможет, скажите владельцу.',
  ),
  noSound: both('The sound of this call is not in the storage.', 'Звука этого звонка в хранилище нет.'),
  downloadAudio: both('Sound', 'Звук'),
  formats: both(
    { txt: 'Text', srt: 'Subtitles SRT', vtt: 'Subtitles VTT', json: 'JSON' },
    { txt: 'Текст', srt: 'Субтитры SRT', vtt: 'Субтитры VTT', json: 'JSON' },
  ),
  deleteSure: both(
    'Delete this recording with its sound and its text? This cannot be undone.',
    'Удалить запись вместе со звуком и текстом? Вернуть её будет нельзя.',
  ),
  deleteNow: both('Delete for good', 'Удалить навсегда'),
  deleted: both('The recording is deleted.', 'Запись удалена.'),
  conflict: both(
    'This was not possible: the recording’s state has changed in the meantime. You see it as it is now.',
    'Не получилось: состояние записи тем временем изменилось. Ниже она такая, какая есть сейчас.',
  ),
  transcript: both('Transcript', 'Текст'),
  noSpeech: both('No speech was found in this recording.', 'Речи в записи нет.'),
  /** What is out of the ordinary in the audio. */
  audio: {
    channel: template('channel {}', 'канал {}'),
    silent: both('no sound at all', 'звука нет совсем'),
    silentChannel: template('{}: no sound at all', '{}: звука нет совсем'),
    unheard: template('{}: nobody is heard', '{}: никого не слышно'),
    noSpeech: both('nobody speaks', 'никто не говорит'),
    identical: both('both channels are the same', 'оба канала одинаковы'),
    clipped: both('too loud, distorted', 'слишком громко, с искажениями'),
  },
  doubtful: both('The recognizer is not sure of this word', 'Распознаватель не уверен в этом слове'),
  sides: both({ agent: 'Agent', client: 'Client' }, { agent: 'Менеджер', client: 'Клиент' }),
  side: both('Who says it', 'Кто говорит'),
  anySide: both('both sides', 'обе стороны'),
  swap: both('Swap Agent and Client', 'Поменять менеджера и клиента'),
  swapHint: both(
    'Agent and Client are known by the channel. If they are the wrong way round in this call, swap them.',
    'Менеджер и клиент определяются по каналу. Если в этом звонке они перепутаны, поменяйте их.',
  ),
  speech: both('speech', 'речь'),
  silence: both('silence', 'тишина'),
  play: both('Play', 'Слушать'),
  pause: both('Pause', 'Пауза'),
  position: both('Position in the sound', 'Место в звуке'),
  positionOf: both('of', 'из'),
  speed: both('Speed', 'Скорость'),
  space: both('space', 'пробел'),
  copy: both('Copy text', 'Скопировать текст'),
  copied: both('Copied', 'Скопировано'),
  notCopied: both('Not copied, try again', 'Не скопировано, повторите'),
  search: both('Search in this call', 'Поиск в звонке'),
  matches: both(
    (n: number, shown: string) => (n === 0 ? 'no matches' : `${shown} ${formEn(n, 'match', 'matches')}`),
    (n, shown) => (n === 0 ? 'не найдено' : `${shown} ${formRu(n, 'совпадение', 'совпадения', 'совпадений')}`),
  ),
  previousMatch: both('Previous match', 'Предыдущее совпадение'),
  nextMatch: both('Next match', 'Следующее совпадение'),
  pauses: both('tried again soon', 'скоро будет новая попытка'),
  playFrom: template('Play from {}', 'Слушать с {}'),
  copyLink: template('Copy link at {}', 'Скопировать ссылку на {}'),
  linkCopied: both('The link is copied.', 'Ссылка скопирована.'),
  part: template('Show {} to {}', 'Показать с {} по {}'),
  buffering: both('Loading the sound', 'Звук загружается'),
  waits: both(
    'The text appears here once the call is transcribed.',
    'Текст появится здесь, когда звонок будет распознан.',
  ),
  soFar: both('Understood so far', 'Распознано до сих пор'),
  cancelled: both(
    'The transcription was cancelled. Retry puts the call back into the queue.',
    'Распознавание отменено. «Повторить» вернёт звонок в очередь.',
  ),
  failedAdvice: both('Retry puts the call back into the queue.', '«Повторить» вернёт звонок в очередь.'),
  failedForGood: both(
    'A retry rarely helps here: submit the call again with another file.',
    'Повтор вряд ли поможет: передайте звонок ещё раз другим файлом.',
  ),
  correct: both('Correct', 'Исправить'),
  corrected: both('Corrected.', 'Исправлено.'),
  uploadAnother: both('Upload another file', 'Загрузить другой файл'),
  details: both('Details', 'Подробности'),
  detail: {
    direction: both('Direction', 'Направление'),
    department: both('Department', 'Отдел'),
    callId: both('Call id', 'Номер звонка'),
    source: both('Source', 'Источник'),
    file: both('File', 'Файл'),
    sound: both('Sound', 'Звук'),
    size: both('Size', 'Размер'),
    length: both('Length', 'Длина'),
    model: both('Model', 'Модель'),
    decoder: both('Decoder', 'Декодер'),
    language: both('Language', 'Язык'),
    priority: both('Priority', 'Приоритет'),
    attempts: both('Attempts', 'Попытки'),
    error: both('Error', 'Ошибка'),
    callback: both('Callback', 'Уведомление'),
  },
  check,
  deals,
  readers: both('Who opened this', 'Кто открывал'),
  history: both('History', 'История'),
  events: {
    received: both('received', 'получена'),
    started: template('attempt {} began', 'началась попытка {}'),
    failedAttempt: template('attempt {} failed: {}', 'попытка {} не удалась: {}'),
    done: both(
      (took: string, attempt: string | null) =>
        `transcribed${took && ` in ${took}`}${attempt === null ? '' : ` (attempt ${attempt})`}`,
      (took, attempt) => `распознана${took && ` за ${took}`}${attempt === null ? '' : ` (попытка ${attempt})`}`,
    ),
    failed: template('failed: {}', 'ошибка: {}'),
    cancelled: both('cancelled', 'отменена'),
    retried: both('put back into the queue', 'возвращена в очередь'),
    callbackWaits: both('callback waits to be sent', 'уведомление ждёт отправки'),
    callbackAccepted: template('callback accepted, {}', 'уведомление принято, {}'),
    callbackRefused: both(
      (code: number) => `callback not accepted: ${answerEn(code)}`,
      (code) => `уведомление не принято: ${answerRu(code)}`,
    ),
    callbackFailed: template('callback not delivered: {}', 'уведомление не доставлено: {}'),
    callbackAgain: template('again at {}', 'снова в {}'),
    callbackGivenUp: both('given up', 'попытки кончились'),
  },
  seconds: template('{} s', '{} с'),
}
