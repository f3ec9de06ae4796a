import { text, template } from '../frame/words/translation.ts'

/** The fields of a rule: labels of the form, and names of differences. */
export const ruleFieldWords = {
  name: text({ en: 'Name in English', ru: 'Name in Russian' }, { en: 'Название по-английски', ru: 'Название' }),
  kind: text('What the rule asks for', 'Чего требует правило'),
  showFields: text('Show its fields', 'Показать поля'),
  side: text('Who', 'Кто'),
  sides: text(
    { agent: 'the agent', client: 'the client', any: 'either side' },
    { agent: 'менеджер', client: 'клиент', any: 'любой из двоих' },
  ),
  any: text('Phrases', 'Фразы'),
  phrasesIn: text(
    { en: 'Phrases in English', ru: 'Phrases in Russian' },
    { en: 'Фразы по-английски', ru: 'Фразы по-русски' },
  ),
  phrasesHint: text(
    'One a line, at most 10 words. Words count in all their forms; in quotation marks exactly as written; of husband/wife either counts. {name}, {number} and {day} stand for any, {question} for a sentence with a question mark.',
    'По одной в строке, не больше 10 слов. Слова считаются во всех формах, в кавычках — точно как написано; муж/жена — любое из двух. {имя}, {число} и {день} — любые, {вопрос} — предложение со знаком вопроса.',
  ),
  addPhrase: text('Add a phrase', 'Добавить фразу'),
  removePhrase: text('Remove', 'Убрать'),
  groups: text('And something of each of these groups', 'И что-то из каждой группы'),
  steps: text('Steps, one after the other', 'Шаги по порядку'),
  group: template('Group {}', 'Группа {}'),
  step: template('Step {}', 'Шаг {}'),
  groupsHint: text(
    'Empty groups are left out; save to get another one.',
    'Пустые группы не считаются; сохраните, чтобы появилась ещё одна.',
  ),
  window: text('When in the call', 'Когда в звонке'),
  windows: text(
    { none: 'at any time', first: 'in the first seconds', last: 'in the last seconds' },
    { none: 'в любое время', first: 'в первые секунды', last: 'в последние секунды' },
  ),
  seconds: text('Seconds', 'Секунд'),
  after: text('Only after something was said', 'Только после чего-то'),
  afterSide: text('Who has said it', 'Кто это сказал'),
  afterWords: text('Phrases before it', 'Фразы перед этим'),
  afterRule: text('After another rule', 'После другого правила'),
  noRule: text('no other rule', 'не после правила'),
  within: text('At most so many seconds later', 'Не позже чем через, секунд'),
  na: text('Count it only in calls in which there was an occasion', 'Учитывать, только если был повод'),
  except: text('Not counting', 'Не считая'),
  exceptHint: text(
    'A phrase that shares a word with one of these does not count.',
    'Найденное не считается, если у него есть общее слово с одной из этих фраз.',
  ),
  min: text('At least', 'Не меньше'),
  max: text('At most', 'Не больше'),
  weight: text('Points', 'Баллы'),
  weightHint: template('{} of all points of the set', '{} всех баллов набора'),
  critical: text('Critical: without it the score of the call is 0', 'Критично: без этого оценка звонка — 0'),
  mono: text('Where one cannot tell who speaks', 'Если непонятно, кто говорит'),
  monos: text(
    { usual: 'as is usual for this kind', search: 'look at all that was said', skip: 'leave it open' },
    { usual: 'как обычно для этого вида', search: 'искать во всём сказанном', skip: 'не оценивать' },
  ),
  hint: text(
    { en: 'Explanation in English', ru: 'Explanation in Russian' },
    { en: 'Пояснение по-английски', ru: 'Пояснение' },
  ),
  hintHint: text(
    'What meets the rule, for people and for the model.',
    'Что считать выполнением: для людей и для модели.',
  ),
  more: text('More', 'Ещё'),
}
