import { text, textTemplate } from '../frame/words/translation.ts'

/** Names of the fields of a rule, for the form and for differences between versions. */
export const ruleFieldWords = {
  name: text(
    { en: 'Name in English', ru: 'Name in Russian' },
    { en: 'Название по-английски', ru: 'Название по-русски' },
  ),
  kind: text('Rule type', 'Тип правила'),
  showFields: text('Show fields', 'Показать поля'),
  side: text('Speaker', 'Кто говорит'),
  sides: text(
    { agent: 'the agent', client: 'the client', any: 'either speaker' },
    { agent: 'менеджер', client: 'клиент', any: 'любой из двоих' },
  ),
  any: text('Phrases', 'Фразы'),
  phrasesIn: text(
    { en: 'Phrases in English', ru: 'Phrases in Russian' },
    { en: 'Фразы по-английски', ru: 'Фразы по-русски' },
  ),
  phrasesHint: text(
    'One per line, up to 10 words. All word forms match; use quotation marks for an exact match and a slash for alternatives: husband/wife. {name}, {number} and {day} match any name, number or day; {question} matches a sentence with a question mark.',
    'По одной в строке, до 10 слов. Слова ищутся во всех формах, в кавычках — точно. Варианты пишите через косую черту: муж/жена. {имя}, {число} и {день} заменяют любое имя, число и день, {вопрос} — предложение с вопросительным знаком.',
  ),
  addPhrase: text('Add phrase', 'Добавить фразу'),
  removePhrase: text('Remove', 'Убрать'),
  groups: text('And one phrase from each group', 'И по одной фразе из каждой группы'),
  steps: text('Steps in order', 'Шаги по порядку'),
  group: textTemplate('Group {}', 'Группа {}'),
  step: textTemplate('Step {}', 'Шаг {}'),
  groupsHint: text(
    'Empty groups are ignored. Save to add another.',
    'Пустые группы не учитываются. Сохраните, чтобы добавить ещё.',
  ),
  window: text('Part of the call', 'Часть звонка'),
  windows: text(
    { none: 'at any time', first: 'in the first seconds', last: 'in the last seconds' },
    { none: 'в любое время', first: 'в первые секунды', last: 'в последние секунды' },
  ),
  seconds: text('Seconds', 'Секунд'),
  after: text('After other words', 'После других слов'),
  afterSide: text('Speaker of these words', 'Кто говорит эти слова'),
  afterWords: text('Preceding phrases', 'Предшествующие фразы'),
  afterRule: text('After another rule', 'После другого правила'),
  noRule: text('no rule', 'без правила'),
  within: text('Within (seconds)', 'Не позже чем через, секунд'),
  na: text('Apply only if the situation arises', 'Применять, только если возникла ситуация'),
  except: text('Exceptions', 'Исключения'),
  exceptHint: text(
    'Matches that overlap one of these phrases are ignored.',
    'Совпадения, которые пересекаются с этими фразами, не учитываются.',
  ),
  min: text('At least', 'Не меньше'),
  max: text('At most', 'Не больше'),
  weight: text('Points', 'Баллы'),
  weightHint: textTemplate('{} of the set’s points', '{} баллов набора'),
  critical: text('Critical: if missed, the score is 0', 'Критичное: если не выполнено, оценка 0'),
  mono: text('If the speakers are unknown', 'Если неизвестно, кто говорит'),
  monos: text(
    { usual: 'default for this rule type', search: 'search the whole transcript', skip: 'do not determine' },
    { usual: 'по умолчанию для этого типа', search: 'искать во всей расшифровке', skip: 'не определять' },
  ),
  hint: text(
    { en: 'Explanation in English', ru: 'Explanation in Russian' },
    { en: 'Пояснение по-английски', ru: 'Пояснение по-русски' },
  ),
  hintHint: text(
    'What meets the rule, for reviewers and the model',
    'Что считать выполнением — для проверяющих и модели',
  ),
  more: text('More', 'Ещё'),
}
