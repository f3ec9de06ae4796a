import { text, textTemplate } from './translation.ts'

const formatSentence = (text: string): string => (/[.!?…]$/.test(text) ? text : `${text}.`)

/** Texts that many pages share. */
export const commonWords = {
  save: text('Save', 'Сохранить'),
  cancel: text('Cancel', 'Отменить'),
  /** On links that close a form without saving. */
  leave: text('Cancel', 'Отмена'),
  retry: text('Retry', 'Повторить'),
  delete: text('Delete', 'Удалить'),
  download: text('Download', 'Скачать'),
  search: text('Search', 'Искать'),
  filter: text('Filter', 'Применить'),
  reset: text('Clear filters', 'Сбросить фильтры'),
  all: text('All', 'Все'),
  yes: text('yes', 'да'),
  no: text('no', 'нет'),
  /** Examples of the input format for days and times. */
  day: text('21 Nov 2026', '21.11.2026'),
  dayAndTime: text('21 Nov 2026 14:30', '21.11.2026 14:30'),
  suchAs: textTemplate('For example, {}', 'Например, {}'),
  none: text('none', 'нет'),
  optional: text('optional', 'не обязательно'),
  percent: textTemplate('{}%', '{}\u00a0%'),

  range: textTemplate('{}–{} of {}', '{}–{} из {}'),
  /** Texts about a paused queue or a paused check. */
  pause: {
    byPerson: textTemplate('Paused manually since {}.', 'На паузе с {}. Приостановил сотрудник.'),
    byService: text(
      (since: string, reason: string) => `Paused since ${since}. ${formatSentence(reason)}`,
      (since, reason) => `На паузе с ${since}. ${formatSentence(reason)}`,
    ),
    retry: textTemplate(
      'Next attempt at {}. Settings changes apply after a restart.',
      'Следующая попытка: {}. Новые настройки действуют после перезапуска.',
    ),
  },
  pages: text('Pages', 'Страницы'),
  page: textTemplate('Page {}', 'Страница {}'),
  previous: text('Previous page', 'Предыдущая страница'),
  next: text('Next page', 'Следующая страница'),
  pastEnd: text('This page does not exist.', 'Такой страницы нет.'),
  toStart: text('Go to the first page', 'К первой странице'),
  pageSize: textTemplate('{} per page', '{} на странице'),
  newestFirst: text('newest first', 'сначала новые'),
  oldestFirst: text('oldest first', 'сначала старые'),
}
