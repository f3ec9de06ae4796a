import { both } from './both.ts'
import { formEn, formRu, aboutEn, aboutRu, ordinalEn } from './grammar.ts'

/** The list of recordings, and what is said of a recording everywhere. */
export const recordings = {
  title: both('Recordings', 'Записи'),
  status: both(
    { QUEUED: 'queued', PROCESSING: 'running', DONE: 'done', FAILED: 'failed', CANCELLED: 'cancelled' },
    { QUEUED: 'в очереди', PROCESSING: 'идёт', DONE: 'готово', FAILED: 'ошибка', CANCELLED: 'отменено' },
  ),
  place: both(
    (n: number) => (n === 1 ? 'next in the queue' : `${ordinalEn(n)} in the queue`),
    (n) => (n === 1 ? 'следующая в очереди' : `${n}-я в очереди`),
  ),
  left: both(
    (seconds: number) => `${aboutEn(seconds)} left`,
    (seconds) => `ещё ${aboutRu(seconds)}`,
  ),
  transcribing: both('being transcribed', 'распознаётся'),
  direction: both({ INBOUND: 'incoming', OUTBOUND: 'outgoing' }, { INBOUND: 'входящий', OUTBOUND: 'исходящий' }),
  decoder: both<Record<string, string>>(
    { greedy: 'greedy', beam_search: 'beam search' },
    { greedy: 'жадный', beam_search: 'лучевой поиск' },
  ),
  source: both(
    { upload: 'upload', url: 'link', storage: 'storage', inbox: 'inbox', crm: 'CRM' },
    { upload: 'загрузка', url: 'ссылка', storage: 'хранилище', inbox: 'входящая папка', crm: 'CRM' },
  ),
  audioErrors: both(
    {
      AUDIO_MISSING: 'The sound is not in the storage any more.',
      UNSUPPORTED_AUDIO: 'The file holds no sound that can be read.',
      AUDIO_TOO_LONG: 'The recording is longer than 3 hours.',
    },
    {
      AUDIO_MISSING: 'Звука больше нет в хранилище.',
      UNSUPPORTED_AUDIO: 'В файле нет звука, который можно прочитать.',
      AUDIO_TOO_LONG: 'Запись длиннее 3 часов.',
    },
  ),
  failedUnknown: both('The transcription failed.', 'Распознать не удалось.'),
  total: both(
    (n: number) => formEn(n, 'call', 'calls'),
    (n) => formRu(n, 'звонок', 'звонка', 'звонков'),
  ),
  columns: {
    time: both('Call', 'Звонок'),
    direction: both('Direction', 'Направление'),
    phone: both('Phone', 'Телефон'),
    manager: both('Manager', 'Менеджер'),
    length: both('Length', 'Длина'),
    status: both('Status', 'Состояние'),
    note: both('Details', 'Подробности'),
  },
  emptyTitle: both('No recordings yet', 'Записей пока нет'),
  empty: both(
    'Here will stand every call that was submitted, with its state and, once it is done, its text. ' +
      'Submit the first one with an API key; this page shows it by itself.',
    'Здесь будет каждый переданный звонок: его состояние, а когда он готов — текст. ' +
      'Передайте первый звонок с ключом API: он появится на странице сам.',
  ),
}
