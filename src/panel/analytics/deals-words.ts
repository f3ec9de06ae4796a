import { both } from '../frame/words/translation.ts'
import { counted } from '../frame/words/grammar.ts'

/** The deals behind the figures of reports. */
export const dealList = {
  by: both('Which', 'Какие'),
  bys: both(
    { closed: 'closed', created: 'made', silent: 'silent now' },
    { closed: 'закрытые', created: 'созданные', silent: 'забытые сейчас' },
  ),
  outcome: both('Outcome', 'Исход'),
  outcomes: both({ open: 'open', won: 'won', lost: 'lost' }, { open: 'открыта', won: 'выиграна', lost: 'проиграна' }),
  anyOutcome: both('any', 'любой'),
  total: counted('{} {deal|deals}', '{} {сделка|сделки|сделок}'),
  none: both('No deals match.', 'Таких сделок нет.'),
  columns: both(
    { outcome: 'Outcome', created: 'Made', closed: 'Closed', calls: 'Calls' },
    { outcome: 'Исход', created: 'Создана', closed: 'Закрыта', calls: 'Звонки' },
  ),
  chips: {
    reason: both('Reason', 'Причина'),
    before: both('Stage before', 'Стадия перед отказом'),
    calls: both('Calls before', 'Звонков до закрытия'),
    said: both('Said', 'Сказано'),
    currency: both('Amount in', 'Сумма в'),
    compared: both('Scores and sales', 'Оценки и продажи'),
    scoreFrom: both('Mean score from', 'Средняя оценка от'),
    scoreBelow: both('Mean score below', 'Средняя оценка ниже'),
    scoredBy: both('Scores by', 'Оценки по'),
    talker: both('Talked most', 'Говорил больше всех'),
  },
  isCompared: both({ true: 'compared', false: 'not compared' }, { true: 'сравниваются', false: 'не сравниваются' }),
  without: both('none', 'нет'),
}
