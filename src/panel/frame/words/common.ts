import { both, template } from './translation.ts'

const asSentence = (text: string): string => (/[.!?…]$/.test(text) ? text : `${text}.`)

/** What many pages say alike. */
export const common = {
  save: both('Save', 'Сохранить'),
  cancel: both('Cancel', 'Отменить'),
  /** Leaves a form as it was. */
  leave: both('Cancel', 'Отмена'),
  retry: both('Retry', 'Повторить'),
  delete: both('Delete', 'Удалить'),
  download: both('Download', 'Скачать'),
  search: both('Search', 'Искать'),
  filter: both('Filter', 'Применить'),
  reset: both('Reset', 'Сбросить'),
  all: both('All', 'Все'),
  yes: both('yes', 'да'),
  no: both('no', 'нет'),
  /** What a field of a day, or of a day and a time, may hold. */
  day: both('21 Nov 2026', '21.11.2026'),
  dayAndTime: both('21 Nov 2026 14:30', '21.11.2026 14:30'),
  suchAs: template('Such as {}', 'Например, {}'),
  none: both('none', 'нет'),
  optional: both('optional', 'не обязательно'),
  percent: template('{} %', '{} %'),

  range: template('{}–{} of {}', '{}–{} из {}'),
  /** Why and since when a queue is paused. */
  pause: {
    byPerson: template('Paused by a person since {}.', 'На паузе с {}. Паузу поставил сотрудник.'),
    byService: both(
      (since: string, reason: string) => `Paused since ${since}. ${asSentence(reason)}`,
      (since, reason) => `На паузе с ${since}. ${asSentence(reason)}`,
    ),
    retry: template(
      'We retry at {}, or at the next start with other settings.',
      'Повторим {} или сразу, если запустить сервис с другими настройками.',
    ),
  },
  pages: both('Pages', 'Страницы'),
  page: template('Page {}', 'Страница {}'),
  previous: both('Previous page', 'Предыдущая страница'),
  next: both('Next page', 'Следующая страница'),
  pastEnd: both('There is no such page.', 'Такой страницы нет.'),
  toStart: both('To the first page', 'К первой странице'),
  pageSize: template('{} a page', 'по {}'),
  newestFirst: both('newest first', 'сначала новые'),
  oldestFirst: both('oldest first', 'сначала старые'),
}
