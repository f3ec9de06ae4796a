import { text } from '../frame/words/translation.ts'
import { counted } from '../frame/words/grammar.ts'

/** The deals behind the figures of reports. */
export const dealList = {
  by: text('Which', 'Какие'),
  bys: text(
    { closed: 'closed', created: 'made', silent: 'silent now' },
    { closed: 'закрытые', created: 'созданные', silent: 'забытые сейчас' },
  ),
  outcome: text('Outcome', 'Исход'),
  outcomes: text({ open: 'open', won: 'won', lost: 'lost' }, { open: 'открыта', won: 'выиграна', lost: 'проиграна' }),
  anyOutcome: text('any', 'любой'),
  total: counted('{} {deal|deals}', '{} {сделка|сделки|сделок}'),
  none: text('No deals match.', 'Таких сделок нет.'),
  columns: text(
    { outcome: 'Outcome', created: 'Made', closed: 'Closed', calls: 'Calls' },
    { outcome: 'Исход', created: 'Создана', closed: 'Закрыта', calls: 'Звонки' },
  ),
  chips: {
    reason: text('Reason', 'Причина'),
    before: text('Stage before', 'Стадия перед отказом'),
    calls: text('Calls before', 'Звонков до закрытия'),
    said: text('Said', 'Сказано'),
    currency: text('Amount in', 'Сумма в'),
    compared: text('Scores and sales', 'Оценки и продажи'),
    scoreFrom: text('Mean score from', 'Средняя оценка от'),
    scoreBelow: text('Mean score below', 'Средняя оценка ниже'),
    scoredBy: text('Scores by', 'Оценки по'),
    talker: text('Talked most', 'Говорил больше всех'),
  },
  isCompared: text({ true: 'compared', false: 'not compared' }, { true: 'сравниваются', false: 'не сравниваются' }),
  without: text('none', 'нет'),
}
