import { both } from '../frame/words/translation.ts'

/** The calls as a table for people: what stands in its head, and how it writes what spreadsheets read. */
export const table = {
  fileName: both('calls', 'Звонки'),
  /** As spreadsheets of the language separate cells: where commas stand in numbers, by semicolons. */
  separator: both<',' | ';'>(',', ';'),
  columns: both(
    (timeZone: string) => ({
      time: `Call (${timeZone})`,
      direction: 'Direction',
      phone: 'Phone',
      manager: 'Manager',
      department: 'Department',
      length: 'Length',
      score: 'Score',
      source: 'Source',
      callId: 'Call id',
      file: 'File',
      link: 'Link',
      text: 'Text',
    }),
    (timeZone) => ({
      time: `Звонок (${timeZone})`,
      direction: 'Направление',
      phone: 'Телефон',
      manager: 'Менеджер',
      department: 'Отдел',
      length: 'Длина',
      score: 'Оценка',
      source: 'Источник',
      callId: 'Номер звонка',
      file: 'Файл',
      link: 'Ссылка',
      text: 'Текст',
    }),
  ),
  /** A local time, 2026-11-21T14:30, as spreadsheets of the language take it for one. */
  time: both(
    (local: string) => local.replace('T', ' '),
    (local) => local.replace(/^(\d+)-(\d+)-(\d+)T/, '$3.$2.$1 '),
  ),
  rest: both(
    (link: string) => `The rest stands in the call: ${link}`,
    (link) => `Остальное — в звонке: ${link}`,
  ),
}
