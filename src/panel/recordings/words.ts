import { text, template } from '../frame/words/translation.ts'
import { filterWords } from './filters.ts'
import { invalidWords } from './filters/filter.ts'
import { rangeWords } from './filters/ranges.ts'
import {
  formatEstimateEn,
  formatEstimateRu,
  formatRoughTimeRu,
  formatAudioLengthEn,
  formatAudioLengthRu,
  formatOrdinalEn,
  pluralTemplate,
} from '../frame/words/grammar.ts'

/** The list of recordings, and common texts about recordings. */
export const recordingListWords = {
  title: text('Recordings', 'Записи'),
  status: text(
    { QUEUED: 'queued', PROCESSING: 'running', DONE: 'done', FAILED: 'failed', CANCELLED: 'cancelled' },
    { QUEUED: 'в очереди', PROCESSING: 'идёт', DONE: 'готово', FAILED: 'не удалось', CANCELLED: 'отменено' },
  ),
  position: text(
    (n: number) => (n === 1 ? 'next in the queue' : `${formatOrdinalEn(n)} in the queue`),
    (n) => (n === 1 ? 'следующая в очереди' : `${n}-я в очереди`),
  ),
  left: text(
    (seconds: number) => `${formatEstimateEn(seconds)} left`,
    (seconds) => `ещё ${formatEstimateRu(seconds)}`,
  ),
  transcribing: text('being transcribed', 'распознаётся'),
  direction: text({ INBOUND: 'incoming', OUTBOUND: 'outgoing' }, { INBOUND: 'входящий', OUTBOUND: 'исходящий' }),
  decoder: text<Record<string, string>>(
    { greedy: 'greedy', beam_search: 'beam search' },
    { greedy: 'жадный', beam_search: 'лучевой поиск' },
  ),
  source: text(
    { upload: 'upload', url: 'link', storage: 'storage', inbox: 'inbox', crm: 'CRM' },
    { upload: 'загрузка', url: 'ссылка', storage: 'хранилище', inbox: 'входящая папка', crm: 'CRM' },
  ),
  audioErrors: {
    AUDIO_MISSING: text('The sound is not in the storage any more.', 'Звука больше нет в хранилище.'),
    UNSUPPORTED_AUDIO: text('The file holds no sound that can be read.', 'В файле нет звука, который можно прочитать.'),
    AUDIO_TOO_LONG: text('The recording is longer than 3 hours.', 'Запись длиннее 3 часов.'),
  },
  failedUnknown: text('The transcription failed.', 'Распознать не удалось.'),
  total: pluralTemplate('{call|calls}', '{звонок|звонка|звонков}'),
  sound: text(formatAudioLengthEn, formatAudioLengthRu),
  columns: {
    time: text('Call', 'Звонок'),
    direction: text('Direction', 'Направление'),
    phone: text('Phone', 'Телефон'),
    manager: text('Manager', 'Менеджер'),
    length: text('Length', 'Длина'),
    score: text('Score', 'Оценка'),
    text: text('Text', 'Текст'),
  },
  queuedAt: text(
    (n: number) => `queued · ${formatOrdinalEn(n)}`,
    (n) => `в очереди · ${n}`,
  ),
  doneIn: text(
    (seconds: number) => `done in ${formatEstimateEn(seconds)}`,
    (seconds) => `готово примерно через ${formatRoughTimeRu(seconds)}`,
  ),
  attempt: text(
    (n: number) => `${formatOrdinalEn(n)} attempt`,
    (n) => `попытка ${n}`,
  ),
  noSpeech: text('no speech', 'речи нет'),
  synonymOf: template('Synonym of “{}”', 'Синоним слова «{}»'),

  search: text('Search', 'Поиск'),
  searchHint: text('Words of the call, phone, manager, call id', 'Слова, телефон, менеджер, номер звонка'),
  upload: text('Upload', 'Загрузить'),
  export: text('Export', 'Выгрузить'),
  exportAs: text(
    { table: 'Table for a spreadsheet', csv: 'CSV for programs', jsonl: 'JSON lines', zip: 'ZIP of texts' },
    { table: 'Таблица для людей', csv: 'CSV для программ', jsonl: 'JSON по строкам', zip: 'ZIP с текстами' },
  ),
  exportCount: pluralTemplate('{} {transcript|transcripts}', '{} {текст|текста|текстов}'),
  exportMost: text('the first 50,000 of them', 'первые 50 000 из них'),

  facets: {
    title: text('Narrow the list', 'Отбор звонков'),
    months: text('Months', 'Месяцы'),
    more: template('{} more…', 'ещё {}…'),
    all: text('All', 'Все'),
  },
  days: {
    title: text('Dates', 'Даты'),
    today: text('Today', 'Сегодня'),
    yesterday: text('Yesterday', 'Вчера'),
    week: text('Week', 'Неделя'),
    month: text('Month', 'Месяц'),
    period: text('Period…', 'Период…'),
    hint: text('21 Nov 2026, with a time as 14:30 if you like', '21.11.2026, можно со временем: 14:30'),
  },
  paused: text('the queue is paused', 'очередь на паузе'),
  newCalls: text('% new', 'новых: %'),
  order: text(
    { best: 'best matches first', desc: 'newest first', asc: 'oldest first' },
    { best: 'сначала самые подходящие', desc: 'сначала новые', asc: 'сначала старые' },
  ),
  sorted: {
    longest: text('longest first', 'сначала длинные'),
    shortest: text('shortest first', 'сначала короткие'),
    lowest: text('lowest score first', 'сначала с низкой оценкой'),
    highest: text('highest score first', 'сначала с высокой оценкой'),
  },
  skipToList: text('Skip to the list', 'К списку звонков'),
  filter: {
    open: text('Filters', 'Отбор'),
    apply: text('Apply', 'Применить'),
    clear: text('Clear all', 'Сбросить всё'),
    remove: template('Remove: {}', 'Убрать: {}'),
  },
  filters: filterWords,
  range: rangeWords,
  invalid: invalidWords,
  didYouMean: text('Did you mean:', 'Возможно, вы искали:'),
  noneTitle: text('No calls match', 'Ничего не найдено'),
  none: text(
    'Nothing that you may see has all of this. Take a filter away, or search for another word.',
    'Среди доступных вам звонков таких нет. Уберите часть условий или поищите другое слово.',
  ),

  selected: template('{} selected', 'выбрано: {}'),
  exportSelected: text('Export %', 'Выгрузить: %'),
  deleteSelected: text('Delete %', 'Удалить: %'),
  deleteCount: text('Calls to be deleted: %.', 'Будет удалено звонков: %.'),
  /** Not "Cancel" alone, which elsewhere closes a form or clears a selection. */
  cancelSelected: text('Cancel transcription (%)', 'Отменить распознавание (%)'),
  cancelCount: text('Calls whose transcription is cancelled: %.', 'Распознавание будет отменено, звонков: %.'),
  cancelSure: text(
    'They get no text; what is transcribed of them so far is lost. They can be retried.',
    'Текста у них не будет, уже распознанное пропадёт. Их можно будет повторить.',
  ),
  cancelNow: text('Cancel transcription', 'Отменить распознавание'),
  selectAll: text('Select all on this page', 'Выбрать все на странице'),
  select: template('Select {}', 'Выбрать {}'),
  deleteSure: text(
    'Delete the selected recordings with their sound and their text? This cannot be undone.',
    'Удалить выбранные записи вместе со звуком и текстом? Вернуть их будет нельзя.',
  ),
  deleteNow: text('Delete for good', 'Удалить навсегда'),
  nothingSelected: text('Nothing was selected.', 'Ничего не выбрано.'),
  setManager: text('Set manager', 'Указать менеджера'),
  bulk: {
    retry: pluralTemplate('{} {call is|calls are} back in the queue.', 'Снова в очереди: {}.'),
    cancel: pluralTemplate('{} {call|calls} cancelled.', 'Отменено: {}.'),
    delete: pluralTemplate('{} {call|calls} deleted.', 'Удалено: {}.'),
    manager: pluralTemplate('{} {call has|calls have} the manager now.', 'Менеджер указан, звонков: {}.'),
    denied: pluralTemplate(
      'For {} it was not possible: this is no name that you may give.',
      'Не получилось для {}: такого менеджера указать нельзя.',
    ),
    refused: pluralTemplate(
      'For {} it was not possible: {its|their} state does not allow it.',
      'Не получилось для {}: состояние не позволяет.',
    ),
    absent: pluralTemplate('{} {is|are} not there, or not yours.', 'Не найдено среди ваших: {}.'),
  },
  /** Actions on all calls of a list. */
  whole: {
    select: template('Select all {}', 'Выбрать все: {}'),
    selectFirst: template('Select the first {}', 'Выбрать первые {}'),
    title: text(
      { retry: 'Retry calls', cancel: 'Cancel calls', delete: 'Delete calls', manager: 'Assign a manager' },
      {
        retry: 'Повторное распознавание',
        cancel: 'Отмена распознавания',
        delete: 'Удаление звонков',
        manager: 'Назначение менеджера',
      },
    ),
    progress: template('{} of {}', '{} из {}'),
    stay: text('Keep this page open until all calls are done.', 'Не закрывайте страницу, пока всё не закончится.'),
    interrupted: text(
      'The connection to the service was lost. Trying again in a few seconds.',
      'Связь с сервисом прервалась. Новая попытка через несколько секунд.',
    ),
    showFailed: text('Show them', 'Показать их'),
    back: text('Back to the calls', 'К звонкам'),
  },
  /** The first steps, while there is no recording at all. */
  first: {
    title: text('No recordings yet', 'Записей пока нет'),
    what: text(
      'Here will stand every call that was submitted: who spoke with whom, its state and, once it is transcribed, its text.',
      'Здесь будет каждый переданный звонок: кто с кем говорил, его состояние, а после распознавания — текст.',
    ),
    upload: text('Upload a recording', 'Загрузите запись'),
    uploadHow: text(
      'Choose files, drop them on the page, or give a link.',
      'Выберите файлы, перетащите их на страницу или укажите ссылку.',
    ),
    key: text('Make an API key', 'Создайте ключ API'),
    keyHow: text(
      'With it your telephony or CRM submits calls by itself. It is shown once.',
      'С ним телефония или CRM передаёт звонки сама. Ключ показывается один раз.',
    ),
    toKeys: text('To the keys', 'К ключам'),
    askOwner: text('An owner makes it for you.', 'Его создаёт владелец.'),
    curl: text('Submit a call with it', 'Передайте с ним звонок'),
    curlHow: text(
      'From any program, as here from a command line. The call appears on this page by itself.',
      'Из любой программы — например, из командной строки. Звонок появится на этой странице сам.',
    ),
    address: text('Put the API’s own address in the place of https://API.', 'Вместо https://API укажите адрес API.'),
    ownTitle: text('No calls of yours yet', 'Ваших звонков пока нет'),
    own: template(
      'Calls whose manager is “{}” will stand here by themselves, with their text, as soon as they are submitted.',
      'Звонки, где менеджер — «{}», появятся здесь сами, вместе с текстом, как только их передадут.',
    ),
    departments: text(
      'The calls of the managers of your departments will stand here by themselves, with their text, as soon as they are submitted.',
      'Звонки менеджеров ваших отделов появятся здесь сами, вместе с текстом, как только их передадут.',
    ),
  },
  table: {
    fileName: text('calls', 'Звонки'),
    /** Spreadsheets of a language with decimal commas separate cells by semicolons. */
    separator: text<',' | ';'>(',', ';'),
    /** A local time, 2026-11-21T14:30, as spreadsheets of the language parse it. */
    time: text(
      (local: string) => local.replace('T', ' '),
      (local) => local.replace(/^(\d+)-(\d+)-(\d+)T/, '$3.$2.$1 '),
    ),
    rest: template('The rest stands in the call: {}', 'Остальное — в звонке: {}'),
  },
}
