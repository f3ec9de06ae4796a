import { text, template } from '../frame/words/translation.ts'
import { pluralTemplate } from '../frame/words/grammar.ts'

export const departmentWords = {
  title: text('Departments', 'Отделы'),
  add: text('Add a department', 'Добавить отдел'),
  addTitle: text('New department', 'Новый отдел'),
  create: text('Add', 'Добавить'),
  columns: {
    name: text('Department', 'Отдел'),
    managers: text('Managers', 'Менеджеры'),
    people: text('People', 'Люди'),
    calls: text('Calls', 'Звонки'),
  },
  more: template('and {} more', 'и ещё {}'),
  emptyTitle: text('No departments yet', 'Отделов пока нет'),
  empty: text(
    'A department has a list of managers: the calls that carry their names are its calls, and its heads see them.',
    'У отдела есть список менеджеров: звонки с их именами — это звонки отдела, и руководители отдела их видят.',
  ),
  noneOfYours: text(
    'You belong to no department yet, so you see only your own calls. Ask the owner to add you to one.',
    'Вы пока не состоите ни в одном отделе и видите только свои звонки. Попросите владельца добавить вас.',
  ),
  unassigned: pluralTemplate('{} {call is|calls are} in no department.', '{} {звонок|звонка|звонков} без отдела.'),

  name: text('Name', 'Название'),
  funnels: text('Funnels of the CRM', 'Воронки CRM'),
  funnelsHint: text(
    'Deals are read only from the funnels of departments.',
    'Сделки читаются только из воронок отделов.',
  ),
  funnelNumbersHint: text(
    'Their numbers in the CRM, separated by commas: 0, 5. Deals are read only from the funnels of departments. Once funnels have been read, they can be chosen by name.',
    'Номера воронок в CRM через запятую: 0, 5. Сделки читаются только из воронок отделов. Когда воронки будут прочитаны, их можно будет выбрать по названию.',
  ),
  notFunnels: template(
    'No number of a funnel: {}. Whole numbers from 0 on, separated by commas.',
    'Не номер воронки: {}. Нужны целые числа от 0 через запятую.',
  ),
  managers: text('Managers', 'Менеджеры'),
  managersHint: text(
    'One name a line, as it stands in the calls. Managers who belong to the department stay in the list by themselves.',
    'По одному имени в строке, как в звонках. Менеджеры, которые состоят в отделе, остаются в списке сами.',
  ),
  fromCalls: text('Also from the calls', 'Ещё из звонков'),
  fromCallsHint: text(
    'Names that calls carry and no department has yet, with the number of their calls.',
    'Имена из звонков, которых ещё нет ни в одном отделе, и сколько у них звонков.',
  ),
  fromCall: template('{} · {}', '{} · {}'),
  people: pluralTemplate('{} {person|people}', '{} {человек|человека|человек}'),
  calls: pluralTemplate('{} {call|calls}', '{} {звонок|звонка|звонков}'),
  delete: text('Delete', 'Удалить'),
  deleteSure: template(
    '{} and its list of managers will be gone. Its calls stay, in no department.',
    'Отдел {} и список его менеджеров исчезнут. Звонки останутся, но без отдела.',
  ),
  deleteNow: text('Delete the department', 'Удалить отдел'),
  occupied: pluralTemplate(
    '{} {person belongs|people belong} to it: move them first, then it can be deleted.',
    'В нём {} {человек|человека|человек}: сначала переведите их, потом отдел можно удалить.',
  ),
  added: template('{} was added.', 'Отдел {} добавлен.'),
  saved: text('Saved. It works from everybody’s next click on.', 'Сохранено. Действует со следующего нажатия у всех.'),
  deleted: template('{} was deleted.', 'Отдел {} удалён.'),
}
