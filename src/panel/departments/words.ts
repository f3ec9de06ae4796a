import { text, textTemplate } from '../frame/words/translation.ts'
import { pluralTemplate } from '../frame/words/grammar.ts'

export const departmentWords = {
  title: text('Departments', 'Отделы'),
  add: text('Add department', 'Добавить отдел'),
  addTitle: text('New department', 'Новый отдел'),
  create: text('Add', 'Добавить'),
  columns: {
    name: text('Department', 'Отдел'),
    managers: text('Managers', 'Менеджеры'),
    people: text('People', 'Сотрудники'),
    calls: text('Calls', 'Звонки'),
  },
  more: textTemplate('and {} more', 'и ещё {}'),
  emptyTitle: text('No departments yet', 'Отделов пока нет'),
  empty: text(
    'A department head sees the calls of the department’s managers.',
    'Руководитель видит звонки менеджеров отдела.',
  ),
  noneOfYours: text(
    'You belong to no department, so you see only your own calls. Ask an owner to add you.',
    'Вы не состоите ни в одном отделе и видите только свои звонки. Попросите владельца добавить вас.',
  ),
  unassigned: pluralTemplate('{} {call|calls} without a department.', '{} {звонок|звонка|звонков} без отдела.'),

  name: text('Name', 'Название'),
  funnels: text('CRM funnels', 'Воронки CRM'),
  funnelsHint: text('We load deals only from these funnels.', 'Сделки загружаются только из этих воронок.'),
  funnelNumbersHint: text(
    'Numbers of CRM funnels, separated by commas: 0, 5. We load deals only from these funnels. After the first sync you can choose them by name.',
    'Номера воронок CRM через запятую: 0, 5. Сделки загружаются только из них. После первой синхронизации воронки можно выбрать по названию.',
  ),
  notFunnels: textTemplate(
    'Not a funnel number: {}. Enter whole numbers separated by commas.',
    'Не номер воронки: {}. Введите целые числа через запятую.',
  ),
  managers: text('Managers', 'Менеджеры'),
  managersHint: text(
    'One name per line, spelled as in the calls. Managers of this department always stay in the list.',
    'По одному имени в строке, как в звонках. Менеджеры этого отдела всегда остаются в списке.',
  ),
  fromCalls: text('More names from calls', 'Другие имена из звонков'),
  fromCallsHint: text(
    'Names from calls that are not in any department yet, with the number of calls for each.',
    'Имена из звонков, которых нет ни в одном отделе, и число звонков.',
  ),
  fromCall: textTemplate('{} · {}', '{} · {}'),
  people: pluralTemplate('{} {person|people}', '{} {сотрудник|сотрудника|сотрудников}'),
  calls: pluralTemplate('{} {call|calls}', '{} {звонок|звонка|звонков}'),
  delete: text('Delete', 'Удалить'),
  deleteSure: textTemplate(
    'Delete “{}” and its roster? Its calls stay, without a department.',
    'Удалить отдел «{}» и его список менеджеров? Звонки останутся без отдела.',
  ),
  deleteNow: text('Delete department', 'Удалить отдел'),
  occupied: pluralTemplate(
    'Move {} {person|people} to another department before you delete it.',
    'Перед удалением переведите в другой отдел {} {сотрудника|сотрудников}.',
  ),
  added: textTemplate('“{}” added.', 'Отдел «{}» добавлен.'),
  saved: text('Saved.', 'Сохранено.'),
  deleted: textTemplate('“{}” deleted.', 'Отдел «{}» удалён.'),
}
