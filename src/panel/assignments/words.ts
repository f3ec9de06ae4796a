import { pluralTemplate } from '../frame/words/grammar.ts'
import { text, textTemplate } from '../frame/words/translation.ts'

export const assignmentWords = {
  title: text('Assigned calls', 'Назначенные звонки'),
  toHear: text('Calls to listen to', 'Звонки на прослушивание'),
  byMe: text('Calls you assigned', 'Назначенные вами звонки'),
  all: text('All', 'Все'),
  waiting: pluralTemplate('{} to listen to', '{} {не прослушан|не прослушаны|не прослушаны}'),
  notHeard: pluralTemplate('{} not heard yet', '{} {не прослушан|не прослушаны|не прослушаны}'),
  emptyToHear: text(
    'No calls to listen to. Calls that are assigned to you appear here.',
    'Звонков на прослушивание нет. Здесь появятся назначенные вам звонки.',
  ),
  allHeard: text('You have listened to all assigned calls.', 'Все назначенные звонки прослушаны.'),
  emptyByMe: text(
    'You have not assigned any calls. Assign one on its page or on Home.',
    'Вы ещё не назначали звонков. Это можно сделать на странице звонка или на главной.',
  ),
  assign: text('Assign', 'Назначить'),
  to: textTemplate('{} will be asked to listen to this call.', '{} получит просьбу прослушать этот звонок.'),
  reason: text('Reason', 'Причина'),
  rule: text('Rule', 'Правило'),
  noRule: text('no rule', 'без правила'),
  from: text('from', 'с'),
  isAssigned: text('assigned', 'назначен'),
  done: textTemplate('Assigned to {}.', 'Назначено: {}.'),
  asks: textTemplate('{} asked you to listen to this call', '{} просит прослушать этот звонок'),
  assignedTo: textTemplate('You assigned this call to {}', 'Звонок назначен: {}'),
  fromMoment: textTemplate('from {}', 'с {}'),
  markHeard: text('Mark as heard', 'Прослушано'),
  heard: textTemplate('heard {}', 'прослушан {}'),
  waitsSince: textTemplate('not heard yet, assigned {}', 'ещё не прослушан, назначен {}'),
  assignedAt: textTemplate('assigned {}', 'назначен {}'),
  withdraw: text('Withdraw', 'Отозвать'),
  withdrawn: text('Assignment withdrawn.', 'Назначение отозвано.'),
  trend: pluralTemplate(
    'met in {} of {} calls before, in {} of {} since',
    'до этого выполнено в {} из {} звонков, после — в {} из {}',
  ),
  tooFew: text('too few calls to compare', 'слишком мало звонков для сравнения'),
}
