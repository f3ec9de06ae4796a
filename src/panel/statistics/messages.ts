import { rules } from '../frame/words/rules.ts'
import { inRussian, saying, type Sayings } from '../frame/words/sayings.ts'

/** What the API says of spans of days. */
export const statsSayings: Sayings = {
  'stats.backwards': rules.backwards,
  'stats.tooLong': saying(rules.daysBefore, 'days'),
  'stats.day': rules.day,
  'stats.week': rules.week,
  'stats.notCompared': inRussian('Только для сделок, которые сравниваются.'),
  'stats.scoredBy': inRussian('Нет такой версии правил.'),
  'stats.noReport': inRussian('Отчёта ещё нет.'),
}
