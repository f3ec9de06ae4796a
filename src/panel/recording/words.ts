import { text, textTemplate } from '../frame/words/translation.ts'
import { pluralTemplate, selectPluralEn, selectPluralRu } from '../frame/words/grammar.ts'
import { callCheckWords } from './check-words.ts'

const dealWords = {
  title: text('Deals', 'Сделки'),
  outcome: text({ open: 'open', won: 'won', lost: 'lost' }, { open: 'открыта', won: 'выиграна', lost: 'проиграна' }),
  linkedBy: text(
    { person: 'chosen manually', activity: 'linked in the CRM', phone: 'by phone number' },
    { person: 'выбрана вручную', activity: 'привязана в CRM', phone: 'по номеру телефона' },
  ),
  none: text('No linked deal', 'Сделка не найдена'),
  notRead: text(
    'The CRM links this call to a deal whose funnel belongs to no department, so the call is not counted.',
    'В CRM звонок привязан к сделке из воронки, которой нет ни у одного отдела. Поэтому звонок не учтён.',
  ),
  ambiguous: text(
    'Several deals match. Choose the right ones to count the call.',
    'Подходит несколько сделок. Выберите нужные.',
  ),
  choose: text('Choose', 'Выбрать'),
  which: text('Deals of this call', 'Сделки звонка'),
  other: text('Other deal numbers', 'Номера других сделок'),
  otherHint: text('As in the CRM, separated by spaces', 'Как в CRM, через пробел'),
  chosen: text('Deals saved.', 'Сделки сохранены.'),
}

/** Names the meaning of an HTTP status, followed by the status for the receiver's operators. */
const describeResponseEn = (code: number): string => `${describeStatusCode(code)?.[0] ?? 'response'} (${code})`
const describeResponseRu = (code: number): string => `${describeStatusCode(code)?.[1] ?? 'ответ'} (${code})`

function describeStatusCode(code: number): [en: string, ru: string] | undefined {
  if (code >= 300 && code < 400) return ['redirect', 'перенаправление']
  if (code === 401 || code === 403) return ['access denied', 'нет доступа']
  if (code === 404 || code === 410) return ['address not found', 'адрес не найден']
  if (code === 408) return ['timeout', 'время истекло']
  if (code === 413) return ['too large for the receiver', 'слишком большой запрос']
  if (code === 425 || code === 429) return ['receiver busy', 'получатель занят']
  if (code >= 500) return ['server error', 'ошибка сервера']
  return code >= 400 ? ['rejected', 'отклонено'] : undefined
}

export const recordingWords = {
  title: text('Call', 'Звонок'),
  with: text('with', '—'),
  ofClient: textTemplate('all calls of this client ({})', 'все звонки этого клиента ({})'),
  list: text('In the list', 'В списке'),
  positionInList: textTemplate('{} of {}', '{} из {}'),
  previousCall: text('Previous call (k)', 'Предыдущий звонок (k)'),
  nextCall: text('Next call (j)', 'Следующий звонок (j)'),
  sound: text('Recording', 'Запись'),
  cannotPlay: text(
    'Your browser cannot play this format. Download the recording.',
    'Браузер не воспроизводит этот формат. Скачайте запись.',
  ),
  cannotLoad: text('The recording did not load. Reload the page.', 'Запись не загрузилась. Обновите страницу.'),
  noSound: text('No recording is stored for this call.', 'Запись этого звонка не хранится.'),
  downloadAudio: text('Recording', 'Запись'),
  formats: text(
    { txt: 'Transcript (TXT)', srt: 'Subtitles (SRT)', vtt: 'Subtitles (VTT)', json: 'JSON' },
    { txt: 'Расшифровка (TXT)', srt: 'Субтитры (SRT)', vtt: 'Субтитры (VTT)', json: 'JSON' },
  ),
  deleteSure: text(
    'Delete this call with its recording and transcript? This cannot be undone.',
    'Удалить звонок с записью и расшифровкой? Вернуть их нельзя.',
  ),
  deleteNow: text('Delete call', 'Удалить звонок'),
  deleted: text('Call deleted.', 'Звонок удалён.'),
  conflict: text('The call’s status has changed. Nothing was done.', 'Статус звонка изменился, действие не выполнено.'),
  transcript: text('Transcript', 'Расшифровка'),
  noSpeech: text('No speech was found in this recording.', 'В записи нет речи.'),
  noAudio: text('No recording is stored.', 'Запись не хранится.'),
  audio: {
    channel: textTemplate('channel {}', 'канал {}'),
    silent: text('no audio', 'нет звука'),
    silentChannel: textTemplate('{}: no audio', '{}: нет звука'),
    unheard: textTemplate('{}: no voice heard', '{}: никого не слышно'),
    noSpeech: text('no speech', 'нет речи'),
    identical: text('both channels are identical', 'оба канала одинаковы'),
    clipped: text('too loud, distorted', 'слишком громко, с искажениями'),
  },
  doubtful: text('The recognizer is unsure of this word', 'Слово распознано неуверенно'),
  sides: text({ agent: 'Agent', client: 'Client' }, { agent: 'Менеджер', client: 'Клиент' }),
  unnamed: textTemplate('Speaker {}', 'Собеседник {}'),
  side: text('Speaker', 'Кто говорит'),
  anySide: text('both sides', 'обе стороны'),
  swap: text('Swap Agent and Client', 'Поменять менеджера и клиента местами'),
  swapHint: text(
    'If the speakers are reversed, swap them.',
    'Если менеджер и клиент перепутаны, поменяйте их местами.',
  ),
  separate: text('Separate speakers', 'Разделить собеседников'),
  separations: text(
    {
      queued: 'Separation of speakers queued',
      running: 'Separating speakers…',
      done: 'This recording does not have two distinct voices.',
      failed: 'The speakers were not separated.',
    },
    {
      queued: 'Разделение собеседников в очереди',
      running: 'Собеседники разделяются…',
      done: 'В этой записи нет двух различимых голосов.',
      failed: 'Собеседники не разделены.',
    },
  ),
  agentUnknown: text('It is not clear which speaker is the agent.', 'Неясно, кто из собеседников менеджер.'),
  isAgent: textTemplate('{} is the agent', '{} — менеджер'),
  speakerUncertain: text('The speaker of this phrase is uncertain', 'Неясно, кто говорит эту фразу'),
  correctSpeaker: textTemplate('{}: change the speaker', '{}: исправить, кто говорит'),
  assignTo: text(
    (name: string) => `Assign to ${name}`,
    (name) => `Это ${name.toLowerCase()}`,
  ),
  speech: text('speech', 'речь'),
  silence: text('silence', 'тишина'),
  play: text('Play', 'Слушать'),
  pause: text('Pause', 'Пауза'),
  position: text('Position in the recording', 'Место в записи'),
  positionOf: text('of', 'из'),
  speed: text('Speed', 'Скорость'),
  space: text('space', 'пробел'),
  copy: text('Copy transcript', 'Скопировать расшифровку'),
  copied: text('Copied', 'Скопировано'),
  notCopied: text('Not copied. Try again.', 'Не скопировано. Повторите.'),
  search: text('Search in this call', 'Поиск в звонке'),
  matches: text(
    (n: number, shown: string) => (n === 0 ? 'no matches' : `${shown} ${selectPluralEn(n, 'match', 'matches')}`),
    (n, shown) => (n === 0 ? 'не найдено' : `${shown} ${selectPluralRu(n, 'совпадение', 'совпадения', 'совпадений')}`),
  ),
  previousMatch: text('Previous match', 'Предыдущее совпадение'),
  nextMatch: text('Next match', 'Следующее совпадение'),
  pauses: text('retrying soon', 'скоро повтор'),
  playFrom: textTemplate('Play from {}', 'Слушать с {}'),
  copyLink: textTemplate('Copy link to {}', 'Скопировать ссылку на {}'),
  linkCopied: text('Link copied.', 'Ссылка скопирована.'),
  part: textTemplate('Show {} to {}', 'Показать с {} до {}'),
  turns: pluralTemplate('{} {turn|turns}', '{} {реплика|реплики|реплик}'),
  chapterStart: text('Beginning', 'Начало'),
  chapterAfterPause: textTemplate('After {} s of silence', 'После {} с тишины'),
  gist: textTemplate('“{}”', '«{}»'),
  speakersUnknown: text('One channel: the speakers are unknown', 'Один канал: кто говорит, неизвестно'),
  skipBack: text('5 s back', 'На 5 с назад'),
  skipBackShort: text('−5 s', '−5 с'),
  buffering: text('Loading the recording', 'Запись загружается'),
  waits: text('The transcript appears here when it is ready.', 'Расшифровка появится здесь, когда будет готова.'),
  soFar: text('Transcript so far', 'Уже распознано'),
  cancelled: text(
    'Transcription was cancelled. Retry to queue the call again.',
    'Распознавание отменено. Повторите его, чтобы вернуть звонок в очередь.',
  ),
  failedAdvice: text('Retry to queue the call again.', 'Повторите распознавание, чтобы вернуть звонок в очередь.'),
  failedForGood: text(
    'Retrying is unlikely to help. Upload another file.',
    'Повтор вряд ли поможет. Загрузите другой файл.',
  ),
  correct: text('Edit', 'Изменить'),
  corrected: text('Saved.', 'Сохранено.'),
  uploadAnother: text('Upload another file', 'Загрузить другой файл'),
  details: text('Details', 'Подробности'),
  detail: {
    direction: text('Direction', 'Направление'),
    manager: text('Manager', 'Менеджер'),
    phone: text('Phone', 'Телефон'),
    department: text('Department', 'Отдел'),
    callId: text('Call ID', 'ID звонка'),
    source: text('Source', 'Источник'),
    file: text('File', 'Файл'),
    sound: text('Audio', 'Аудио'),
    size: text('Size', 'Размер'),
    length: text('Duration', 'Длительность'),
    model: text('Model', 'Модель'),
    decoder: text('Decoder', 'Декодер'),
    language: text('Language', 'Язык'),
    priority: text('Priority', 'Приоритет'),
    attempts: text('Attempts', 'Попытки'),
    error: text('Error', 'Ошибка'),
    callback: text('Callback', 'Уведомление'),
  },
  check: callCheckWords,
  deals: dealWords,
  readers: text('Access log', 'Кто открывал'),
  history: text('History', 'История'),
  events: {
    received: text('received', 'получен'),
    started: textTemplate('attempt {} started', 'началась попытка {}'),
    failedAttempt: textTemplate('attempt {} failed: {}', 'попытка {} не удалась: {}'),
    done: text(
      (took: string, attempt: string | null) =>
        `transcribed${took && ` in ${took}`}${attempt === null ? '' : ` (attempt ${attempt})`}`,
      (took, attempt) => `распознан${took && ` за ${took}`}${attempt === null ? '' : ` (попытка ${attempt})`}`,
    ),
    failed: textTemplate('failed: {}', 'не распознан: {}'),
    cancelled: text('cancelled', 'отменён'),
    retried: text('queued again', 'возвращён в очередь'),
    callbackWaits: text('callback queued', 'уведомление в очереди'),
    callbackAccepted: textTemplate('callback delivered, {}', 'уведомление доставлено, {}'),
    callbackRefused: text(
      (code: number) => `callback rejected: ${describeResponseEn(code)}`,
      (code) => `уведомление отклонено: ${describeResponseRu(code)}`,
    ),
    callbackFailed: textTemplate('callback not delivered: {}', 'уведомление не доставлено: {}'),
    callbackAgain: textTemplate('next attempt at {}', 'следующая попытка в {}'),
    callbackGivenUp: text('no more attempts', 'попытки исчерпаны'),
  },
  seconds: textTemplate('{} s', '{} с'),
}
