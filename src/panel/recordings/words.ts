import { text, textTemplate } from '../frame/words/translation.ts'
import { callFilterWords } from './filters.ts'
import { filterErrorWords } from './filters/filter.ts'
import { filterRangeWords, relativePeriodWords } from './filters/ranges.ts'
import {
  formatTimeEstimateEn,
  formatTimeEstimateRu,
  formatRoughTimeRu,
  formatAudioLengthEn,
  formatAudioLengthRu,
  formatOrdinalEn,
  pluralTemplate,
} from '../frame/words/grammar.ts'

/** Texts of the list of calls, and texts that other pages about calls share. */
export const recordingListWords = {
  title: text('Calls', 'Звонки'),
  status: text(
    { QUEUED: 'queued', PROCESSING: 'transcribing', DONE: 'done', FAILED: 'failed', CANCELLED: 'cancelled' },
    { QUEUED: 'в очереди', PROCESSING: 'распознаётся', DONE: 'готово', FAILED: 'не распознан', CANCELLED: 'отменён' },
  ),
  position: text(
    (n: number) => (n === 1 ? 'next in the queue' : `${formatOrdinalEn(n)} in the queue`),
    (n) => (n === 1 ? 'следующий в очереди' : `${n}-й в очереди`),
  ),
  left: text(
    (seconds: number) => `${formatTimeEstimateEn(seconds)} left`,
    (seconds) => `ещё ${formatTimeEstimateRu(seconds)}`,
  ),
  transcribing: text('being transcribed', 'распознаётся'),
  direction: text({ INBOUND: 'incoming', OUTBOUND: 'outgoing' }, { INBOUND: 'входящий', OUTBOUND: 'исходящий' }),
  decoder: text<Record<string, string>>(
    { greedy: 'greedy', beam_search: 'beam search' },
    { greedy: 'жадный', beam_search: 'лучевой поиск' },
  ),
  source: text(
    { upload: 'upload', url: 'link', storage: 'storage', inbox: 'watched folder', crm: 'CRM' },
    { upload: 'загрузка', url: 'ссылка', storage: 'хранилище', inbox: 'папка загрузки', crm: 'CRM' },
  ),
  audioErrors: {
    AUDIO_MISSING: text('The recording is no longer stored.', 'Запись больше не хранится.'),
    UNSUPPORTED_AUDIO: text('The file is damaged or has no audio.', 'Файл повреждён, или в нём нет звука.'),
    AUDIO_TOO_LONG: text('The recording is longer than 3 hours.', 'Запись длиннее 3 часов.'),
  },
  failedUnknown: text('Transcription failed.', 'Звонок не распознан.'),
  total: pluralTemplate('{call|calls}', '{звонок|звонка|звонков}'),
  sound: text(formatAudioLengthEn, formatAudioLengthRu),
  columns: {
    time: text('Call time', 'Время'),
    direction: text('Direction', 'Направление'),
    phone: text('Phone', 'Телефон'),
    manager: text('Manager', 'Менеджер'),
    length: text('Duration', 'Длительность'),
    shortLength: text('Duration', 'Длит.'),
    score: text('Score', 'Оценка'),
    text: text('Transcript', 'Расшифровка'),
  },
  queuedAt: text(
    (n: number) => `queued · ${formatOrdinalEn(n)}`,
    (n) => `в очереди · ${n}`,
  ),
  doneIn: text(
    (seconds: number) => `done in ${formatTimeEstimateEn(seconds)}`,
    (seconds) => `готово примерно через ${formatRoughTimeRu(seconds)}`,
  ),
  attempt: text(
    (n: number) => `${formatOrdinalEn(n)} attempt`,
    (n) => `попытка ${n}`,
  ),
  noSpeech: text('no speech', 'нет речи'),
  synonymOf: textTemplate('Synonym of “{}”', 'Синоним слова «{}»'),

  search: text('Search', 'Поиск'),
  searchHint: text('Words, phone, manager or call ID', 'Слова, телефон, менеджер или ID звонка'),
  upload: text('Upload', 'Загрузить'),
  export: text('Export', 'Выгрузить'),
  exportAs: text(
    { table: 'Spreadsheet', csv: 'CSV (raw data)', jsonl: 'JSON Lines', zip: 'Transcripts (ZIP)' },
    { table: 'Таблица', csv: 'CSV (исходные данные)', jsonl: 'JSON Lines', zip: 'Расшифровки (ZIP)' },
  ),
  exportCount: pluralTemplate('{} {transcript|transcripts}', '{} {расшифровка|расшифровки|расшифровок}'),
  exportMost: text('first 50,000', 'первые 50\u00a0000'),

  facets: {
    title: text('Filters', 'Фильтры'),
    months: text('Months', 'Месяцы'),
    more: textTemplate('{} more…', 'ещё {}…'),
    all: text('All', 'Все'),
  },
  days: {
    title: text('Dates', 'Даты'),
    today: text('Today', 'Сегодня'),
    yesterday: text('Yesterday', 'Вчера'),
    week: text('Week', 'Неделя'),
    month: text('Month', 'Месяц'),
    period: text('Period…', 'Период…'),
    hint: text('21 Nov 2026, optionally with a time: 14:30', '21.11.2026, можно со временем: 14:30'),
  },
  paused: text('queue paused', 'очередь на паузе'),
  newCalls: text('% new', 'новых: %'),
  order: text(
    { best: 'best matches first', desc: 'newest first', asc: 'oldest first' },
    { best: 'сначала самые подходящие', desc: 'сначала новые', asc: 'сначала старые' },
  ),
  sorted: {
    phoneUp: text('phone, ascending', 'телефон, по возрастанию'),
    phoneDown: text('phone, descending', 'телефон, по убыванию'),
    managerUp: text('manager, A to Z', 'менеджер, от А до Я'),
    managerDown: text('manager, Z to A', 'менеджер, от Я до А'),
    longest: text('longest first', 'сначала длинные'),
    shortest: text('shortest first', 'сначала короткие'),
    lowest: text('lowest score first', 'сначала с низкой оценкой'),
    highest: text('highest score first', 'сначала с высокой оценкой'),
  },
  skipToList: text('Skip to the calls', 'К списку звонков'),
  filter: {
    open: text('Filters', 'Фильтры'),
    apply: text('Apply', 'Применить'),
    clear: text('Clear filters', 'Сбросить фильтры'),
    remove: textTemplate('Remove: {}', 'Убрать: {}'),
  },
  filters: callFilterWords,
  range: filterRangeWords,
  periods: relativePeriodWords,
  invalid: filterErrorWords,
  didYouMean: text('Did you mean:', 'Возможно, вы искали:'),
  noneTitle: text('No calls found', 'Звонки не найдены'),
  none: text('Remove a filter or change the search.', 'Уберите фильтр или измените запрос.'),

  selected: textTemplate('{} selected', 'выбрано: {}'),
  exportSelected: text('Export %', 'Выгрузить: %'),
  deleteSelected: text('Delete %', 'Удалить: %'),
  deleteCount: text('Calls to delete: %', 'Будет удалено звонков: %'),
  /** "Cancel" alone would look like closing the form or clearing the selection. */
  cancelSelected: text('Cancel transcription (%)', 'Отменить распознавание (%)'),
  cancelCount: text('Transcriptions to cancel: %', 'Будет отменено распознаваний: %'),
  cancelSure: text('Partial transcripts are lost. You can retry.', 'Распознанное не сохранится. Можно повторить.'),
  cancelNow: text('Cancel transcription', 'Отменить распознавание'),
  retrySelected: text('Retry %', 'Повторить: %'),
  retryCount: text('Calls to retry: %', 'Будет повторено звонков: %'),
  recheckSelected: text('Check % again', 'Проверить снова: %'),
  recheckCount: text('Calls to check again: %', 'Будет проверено снова звонков: %'),
  managerCount: text('Calls to change: %', 'Будет изменено звонков: %'),
  selectAll: text('Select all on this page', 'Выбрать все на странице'),
  select: textTemplate('Select {}', 'Выбрать {}'),
  deleteSure: text(
    'Delete the selected calls with their recordings and transcripts? This cannot be undone.',
    'Удалить выбранные звонки с записями и расшифровками? Вернуть их нельзя.',
  ),
  deleteNow: text('Delete calls', 'Удалить звонки'),
  nothingSelected: text('Select at least one call.', 'Выберите хотя бы один звонок.'),
  recheck: text('Check again', 'Проверить снова'),
  setManager: text('Change manager', 'Сменить менеджера'),
  bulk: {
    retry: pluralTemplate('{} {call|calls} queued again.', 'Снова в очереди {} {звонок|звонка|звонков}.'),
    cancel: pluralTemplate('{} {call|calls} cancelled.', '{Отменён|Отменены|Отменено} {} {звонок|звонка|звонков}.'),
    delete: pluralTemplate('{} {call|calls} deleted.', '{Удалён|Удалены|Удалено} {} {звонок|звонка|звонков}.'),
    recheck: pluralTemplate('{} {call|calls} queued for a check.', 'В очереди на проверку {} {звонок|звонка|звонков}.'),
    manager: pluralTemplate('Manager of {} {call|calls} changed.', 'Менеджер изменён у {} {звонка|звонков|звонков}.'),
    managerDenied: pluralTemplate(
      'You cannot set this manager for {} {call|calls}.',
      'Менеджер не из ваших отделов, {пропущен|пропущены|пропущено} {} {звонок|звонка|звонков}.',
    ),
    denied: pluralTemplate(
      '{} {call|calls} skipped: you no longer have the permission.',
      '{Пропущен|Пропущены|Пропущено} {} {звонок|звонка|звонков}: у вас больше нет права на это действие.',
    ),
    failed: pluralTemplate(
      '{} {call|calls} not changed because of an error. Try again.',
      '{Не изменён|Не изменены|Не изменено} из-за ошибки {} {звонок|звонка|звонков}. Повторите действие.',
    ),
    refused: pluralTemplate(
      '{} {call|calls} skipped because of {its|their} status.',
      '{Пропущен|Пропущены|Пропущено} {} {звонок|звонка|звонков}: неподходящий статус.',
    ),
    absent: pluralTemplate(
      '{} {call was|calls were} not found or {is|are} not accessible to you.',
      '{Не найден или недоступен|Не найдены или недоступны|Не найдены или недоступны} {} {звонок|звонка|звонков}.',
    ),
  },
  whole: {
    select: textTemplate('Select all {}', 'Выбрать все: {}'),
    selectFirst: textTemplate('Select the first {}', 'Выбрать первые {}'),
    title: text(
      {
        retry: 'Retry calls',
        cancel: 'Cancel calls',
        delete: 'Delete calls',
        manager: 'Change manager',
        recheck: 'Check calls again',
      },
      {
        retry: 'Повторное распознавание',
        cancel: 'Отмена распознавания',
        delete: 'Удаление звонков',
        manager: 'Смена менеджера',
        recheck: 'Повторная проверка звонков',
      },
    ),
    progress: textTemplate('{} of {}', '{} из {}'),
    states: text(
      { running: 'running', done: 'done', cancelled: 'stopped' },
      { running: 'выполняется', done: 'готово', cancelled: 'остановлено' },
    ),
    canClose: text('You can close this page. The action continues.', 'Страницу можно закрыть: действие продолжится.'),
    stop: text('Stop', 'Остановить'),
    stopSure: text(
      'Stop the action? Changed calls stay changed.',
      'Остановить действие? Уже изменённые звонки такими и останутся.',
    ),
    alreadyEnded: text('The action has already ended.', 'Действие уже завершено.'),
    none: text('No calls have a suitable status.', 'Нет звонков с подходящим статусом.'),
    showFailed: text('Show unchanged calls', 'Показать звонки без изменений'),
    back: text('Back to calls', 'К звонкам'),
  },
  /** Shown while there are no calls. */
  first: {
    title: text('No calls yet', 'Звонков пока нет'),
    what: text(
      'Upload a file or create an API key. Calls appear here with their status and transcript.',
      'Загрузите файл или создайте ключ API. Здесь появятся звонки, их статус и расшифровка.',
    ),
    uploadOnly: text('Upload a file. Calls appear here.', 'Загрузите файл. Звонки появятся здесь.'),
    toKeys: text('API keys', 'Ключи API'),
    ownTitle: text('You have no calls yet', 'У вас пока нет звонков'),
    own: textTemplate(
      'Calls of the manager “{}” appear here with their transcripts.',
      'Здесь появятся звонки менеджера «{}» с расшифровками.',
    ),
    departments: text(
      'Calls of your departments’ managers appear here with their transcripts.',
      'Здесь появятся звонки менеджеров ваших отделов с расшифровками.',
    ),
  },
  table: {
    fileName: text('calls', 'Звонки'),
    /** Spreadsheets with a decimal comma expect semicolons between cells. */
    separator: text<',' | ';'>(',', ';'),
    /** Formats a local time such as 2026-11-21T14:30 so that spreadsheets in this language recognize it. */
    time: text(
      (local: string) => local.replace('T', ' '),
      (local) => local.replace(/^(\d+)-(\d+)-(\d+)T/, '$3.$2.$1 '),
    ),
    rest: textTemplate(
      'The full transcript is on the page of the call: {}',
      'Полная расшифровка на странице звонка: {}',
    ),
  },
}
