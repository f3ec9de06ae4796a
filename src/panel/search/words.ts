import { template, text } from '../frame/words/translation.ts'

export const searchWords = {
  title: text('Search', 'Поиск'),
  synonyms: text('Synonyms', 'Синонимы'),
  about: text(
    'A search for a word also finds its synonyms, in every form. Words in quotation marks and excluded words have none.',
    'Поиск слова находит и его синонимы, в любой форме. Для слов в кавычках и исключённых слов синонимы не ищутся.',
  ),
  groups: text('Groups of synonyms', 'Группы синонимов'),
  hint: text(
    'One group per line, words separated by commas: contract, agreement. At most 200 lines.',
    'Одна группа в строке, слова через запятую: договор, контракт. Не больше 200 строк.',
  ),
  saved: text('Saved. It applies to the next search.', 'Сохранено. Действует со следующего поиска.'),
  tooMany: text('At most 200 lines.', 'Не больше 200 строк.'),
  size: template('Line {}: 2 to 10 words, separated by commas.', 'Строка {}: от 2 до 10 слов через запятую.'),
  wrong: template('Line {}, “{}”: {}', 'Строка {}, «{}»: {}'),
}
