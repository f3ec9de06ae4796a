import { both, template } from '../frame/words/translation.ts'
import { filterWords } from './filters.ts'
import { invalidWords } from './filters/filter.ts'
import { rangeWords } from './filters/ranges.ts'
import {
  aboutEn,
  aboutRu,
  formEn,
  formRu,
  inRu,
  lengthEn,
  lengthRu,
  ordinalEn,
  counted,
} from '../frame/words/grammar.ts'

/** The list of recordings, and what is said of a recording everywhere. */
export const recordings = {
  title: both('Recordings', 'Записи'),
  status: both(
    { QUEUED: 'queued', PROCESSING: 'running', DONE: 'done', FAILED: 'failed', CANCELLED: 'cancelled' },
    { QUEUED: 'в очереди', PROCESSING: 'идёт', DONE: 'готово', FAILED: 'не удалось', CANCELLED: 'отменено' },
  ),
  position: both(
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
  sound: both(lengthEn, lengthRu),
  columns: {
    time: both('Call', 'Звонок'),
    direction: both('Direction', 'Направление'),
    phone: both('Phone', 'Телефон'),
    manager: both('Manager', 'Менеджер'),
    length: both('Length', 'Длина'),
    score: both('Score', 'Оценка'),
    text: both('Text', 'Текст'),
  },
  queuedAt: both(
    (n: number) => `queued · ${ordinalEn(n)}`,
    (n) => `в очереди · ${n}`,
  ),
  doneIn: both(
    (seconds: number) => `done in ${aboutEn(seconds)}`,
    (seconds) => `готово примерно через ${inRu(seconds)}`,
  ),
  attempt: both(
    (n: number) => `${ordinalEn(n)} attempt`,
    (n) => `попытка ${n}`,
  ),
  noSpeech: both('no speech', 'речи нет'),

  search: both('Search', 'Поиск'),
  searchHint: both('Words of the call, phone, manager, call id', 'Слова, телефон, менеджер, номер звонка'),
  upload: both('Upload', 'Загрузить'),
  export: both('Export', 'Выгрузить'),
  exportAs: both(
    { table: 'Table for a spreadsheet', csv: 'CSV for programs', jsonl: 'JSON lines', zip: 'ZIP of texts' },
    { table: 'Таблица для людей', csv: 'CSV для программ', jsonl: 'JSON по строкам', zip: 'ZIP с текстами' },
  ),
  exportCount: counted('{} {transcript|transcripts}', '{} {текст|текста|текстов}'),
  exportMost: both('the first 50,000 of them', 'первые 50 000 из них'),

  facets: {
    title: both('Narrow the list', 'Отбор звонков'),
    months: both('Months', 'Месяцы'),
    more: template('{} more…', 'ещё {}…'),
    all: both('All', 'Все'),
  },
  days: {
    title: both('Dates', 'Даты'),
    today: both('Today', 'Сегодня'),
    yesterday: both('Yesterday', 'Вчера'),
    week: both('Week', 'Неделя'),
    month: both('Month', 'Месяц'),
    period: both('Period…', 'Период…'),
    hint: both('21 Nov 2026, with a time as 14:30 if you like', '21.11.2026, можно со временем: 14:30'),
  },
  paused: both('the queue is paused', 'очередь на паузе'),
  newCalls: both('% new', 'новых: %'),
  order: both(
    { best: 'best matches first', desc: 'newest first', asc: 'oldest first' },
    { best: 'сначала самые подходящие', desc: 'сначала новые', asc: 'сначала старые' },
  ),
  skipToList: both('Skip to the list', 'К списку звонков'),
  filter: {
    open: both('Filters', 'Отбор'),
    apply: both('Apply', 'Применить'),
    clear: both('Clear all', 'Сбросить всё'),
    remove: template('Remove: {}', 'Убрать: {}'),
  },
  filters: filterWords,
  range: rangeWords,
  invalid: invalidWords,
  noneTitle: both('No calls match', 'Ничего не найдено'),
  none: both(
    'Nothing that you may see has all of this. Take a filter away, or search for another word.',
    'Среди доступных вам звонков таких нет. Уберите часть условий или поищите другое слово.',
  ),

  selected: template('{} selected', 'выбрано: {}'),
  exportSelected: both('Export %', 'Выгрузить: %'),
  deleteSelected: both('Delete %', 'Удалить: %'),
  deleteCount: both('Calls to be deleted: %.', 'Будет удалено звонков: %.'),
  /** Not "Cancel" alone, which elsewhere leaves a form or drops a selection. */
  cancelSelected: both('Cancel transcription (%)', 'Отменить распознавание (%)'),
  cancelCount: both('Calls whose transcription is cancelled: %.', 'Распознавание будет отменено, звонков: %.'),
  cancelSure: both(
    'They get no text; what is transcribed of them so far is lost. They can be retried.',
    'Текста у них не будет, уже распознанное пропадёт. Их можно будет повторить.',
  ),
  cancelNow: both('Cancel transcription', 'Отменить распознавание'),
  selectAll: both('Select all on this page', 'Выбрать все на странице'),
  select: template('Select {}', 'Выбрать {}'),
  deleteSure: both(
    'Delete the selected recordings with their sound and their text? This cannot be undone.',
    'Удалить выбранные записи вместе со звуком и текстом? Вернуть их будет нельзя.',
  ),
  deleteNow: both('Delete for good', 'Удалить навсегда'),
  nothingSelected: both('Nothing was selected.', 'Ничего не выбрано.'),
  setManager: both('Set manager', 'Указать менеджера'),
  bulk: {
    retry: counted('{} {call is|calls are} back in the queue.', 'Снова в очереди: {}.'),
    cancel: counted('{} {call|calls} cancelled.', 'Отменено: {}.'),
    delete: counted('{} {call|calls} deleted.', 'Удалено: {}.'),
    manager: counted('{} {call has|calls have} the manager now.', 'Менеджер указан, звонков: {}.'),
    denied: both(
      (_: number, shown: string) => `For ${shown} it was not possible: this is no name that you may give.`,
      (_, shown) => `Не получилось для ${shown}: такого менеджера указать нельзя.`,
    ),
    refused: both(
      (n: number, shown: string) =>
        `For ${shown} it was not possible: ${formEn(n, 'its', 'their')} state does not allow it.`,
      (_, shown) => `Не получилось для ${shown}: состояние не позволяет.`,
    ),
    absent: counted('{} {is|are} not there, or not yours.', 'Не найдено среди ваших: {}.'),
  },
  /** The first steps, while there is no recording at all. */
  first: {
    title: both('No recordings yet', 'Записей пока нет'),
    what: both(
      'Here will stand every call that was submitted: who spoke with whom, its state and, once it is transcribed, its text.',
      'Здесь будет каждый переданный звонок: кто с кем говорил, его состояние, а после распознавания — текст.',
    ),
    upload: both('Upload a recording', 'Загрузите запись'),
    uploadHow: both(
      'Choose files, drop them on the page, or give a link.',
      'Выберите файлы, перетащите их на страницу или укажите ссылку.',
    ),
    key: both('Make an API key', 'Создайте ключ API'),
    keyHow: both(
      'With it your telephony or CRM submits calls by itself. It is shown once.',
      'С ним телефония или CRM передаёт звонки сама. Ключ показывается один раз.',
    ),
    toKeys: both('To the keys', 'К ключам'),
    askOwner: both('An owner makes it for you.', 'Его создаёт владелец.'),
    curl: both('Submit a call with it', 'Передайте с ним звонок'),
    curlHow: both(
      'From any program, as here from a command line. The call appears on this page by itself.',
      'Из любой программы — например, из командной строки. Звонок появится на этой странице сам.',
    ),
    address: both('Put the API’s own address in the place of https://API.', 'Вместо https://API укажите адрес API.'),
    ownTitle: both('No calls of yours yet', 'Ваших звонков пока нет'),
    own: both(
      (name: string) =>
        `Calls whose manager is “${name}” will stand here by themselves, with their text, as soon as they are submitted.`,
      (name) => `Звонки, где менеджер — «${name}», появятся здесь сами, вместе с текстом, как только их передадут.`,
    ),
    departments: both(
      'The calls of the managers of your departments will stand here by themselves, with their text, as soon as they are submitted.',
      'Звонки менеджеров ваших отделов появятся здесь сами, вместе с текстом, как только их передадут.',
    ),
  },
  table: {
    fileName: both('calls', 'Звонки'),
    /** Spreadsheets of a language with decimal commas separate cells by semicolons. */
    separator: both<',' | ';'>(',', ';'),
    /** A local time, 2026-11-21T14:30, as spreadsheets of the language parse it. */
    time: both(
      (local: string) => local.replace('T', ' '),
      (local) => local.replace(/^(\d+)-(\d+)-(\d+)T/, '$3.$2.$1 '),
    ),
    rest: template('The rest stands in the call: {}', 'Остальное — в звонке: {}'),
  },
}
