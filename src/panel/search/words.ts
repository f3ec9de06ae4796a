import { textTemplate, text } from '../frame/words/translation.ts'

export const searchWords = {
  title: text('Synonyms', 'Синонимы'),
  about: text(
    'A search also finds synonyms in all word forms, except for words in quotation marks and excluded words.',
    'Поиск находит и синонимы в любой форме. Для слов в кавычках и исключённых слов синонимы не ищутся.',
  ),
  groups: text('Synonym groups', 'Группы синонимов'),
  hint: text(
    'One group per line, words separated by commas: contract, agreement. At most 200 lines.',
    'Одна группа в строке, слова через запятую: договор, контракт. Не больше 200 строк.',
  ),
  saved: text('Saved. Applies to the next search.', 'Сохранено. Действует со следующего поиска.'),
  tooMany: text('At most 200 lines.', 'Не больше 200 строк.'),
  size: textTemplate(
    'Line {}: enter 2 to 10 words separated by commas.',
    'Строка {}: введите от 2 до 10 слов через запятую.',
  ),
  wrong: textTemplate('Line {}, “{}”: {}', 'Строка {}, «{}»: {}'),
}
