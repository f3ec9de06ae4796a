import { both } from './both.ts'

/** One recording. */
export const recording = {
  title: both('Call', 'Звонок'),
  with: both('with', '—'),
  sound: both('Sound', 'Звук'),
  cannotPlay: both(
    'This browser cannot play this sound format. Download it to listen.',
    'Браузер не умеет воспроизводить этот формат. Скачайте звук, чтобы послушать.',
  ),
  downloadSound: both('Sound', 'Звук'),
  formats: both(
    { txt: 'Text', srt: 'Subtitles SRT', vtt: 'Subtitles VTT', json: 'JSON' },
    { txt: 'Текст', srt: 'Субтитры SRT', vtt: 'Субтитры VTT', json: 'JSON' },
  ),
  deleteSure: both(
    'Delete this recording with its sound and its text? This cannot be undone.',
    'Удалить запись вместе со звуком и текстом? Вернуть её будет нельзя.',
  ),
  deleteNow: both('Delete for good', 'Удалить навсегда'),
  conflict: both(
    'This was not possible: the recording’s state has changed in the meantime. You see it as it is now.',
    'Не получилось: состояние записи тем временем изменилось. Ниже она такая, какая есть сейчас.',
  ),
  transcript: both('Transcript', 'Текст'),
  noSpeech: both('No speech was found in this recording.', 'Речи в записи нет.'),
  channel: both('Channel', 'Канал'),
  playFrom: both(
    (time: string) => `Play from ${time}`,
    (time) => `Слушать с ${time}`,
  ),
  waits: both(
    'The text appears here once the call is transcribed.',
    'Текст появится здесь, когда звонок будет распознан.',
  ),
  cancelled: both(
    'The transcription was cancelled. Retry puts the call back into the queue.',
    'Распознавание отменено. «Повторить» вернёт звонок в очередь.',
  ),
  failedAdvice: both('Retry puts the call back into the queue.', '«Повторить» вернёт звонок в очередь.'),
  failedForGood: both(
    'A retry rarely helps here: submit the call again with another file.',
    'Повтор вряд ли поможет: передайте звонок ещё раз другим файлом.',
  ),
  details: both('Details', 'Подробности'),
  detail: {
    direction: both('Direction', 'Направление'),
    department: both('Department', 'Отдел'),
    callId: both('Call id', 'Номер звонка'),
    source: both('Source', 'Источник'),
    file: both('File', 'Файл'),
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
  history: both('History', 'История'),
  received: both('received', 'получена'),
  started: both(
    (attempt: number) => `attempt ${attempt} began`,
    (attempt) => `попытка ${attempt}`,
  ),
  finished: both(
    { DONE: 'done', FAILED: 'failed', CANCELLED: 'cancelled' },
    { DONE: 'готово', FAILED: 'ошибка', CANCELLED: 'отменено' },
  ),
  took: both(
    (length: string) => `in ${length}`,
    (length) => `за ${length}`,
  ),
  seconds: both(
    (shown: string) => `${shown} s`,
    (shown) => `${shown} с`,
  ),
}
