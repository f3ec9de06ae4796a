import { both, template } from '../frame/words/translation.ts'

/** The fields of a rule: beside them one writes, and a difference names them. */
export const fields = {
  name: both({ en: 'Name in English', ru: 'Name in Russian' }, { en: 'Название по-английски', ru: 'Название' }),
  kind: both('What the rule asks for', 'Чего требует правило'),
  showFields: both('Show its fields', 'Показать поля'),
  side: both('Who', 'Кто'),
  sides: both(
    { agent: 'the agent', client: 'the client', any: 'either side' },
    { agent: 'менеджер', client: 'клиент', any: 'любой из двоих' },
  ),
  any: both('Phrases', 'Фразы'),
  phrasesIn: both(
    { en: 'Phrases in English', ru: 'Phrases in Russian' },
    { en: 'Фразы по-английски', ru: 'Фразы по-русски' },
  ),
  phrasesHint: both(
    'One a line, at most 10 words. Words count in all their forms; in quotation marks exactly as written; of husband/wife either counts. {name}, {number} and {day} stand for any, {question} for a sentence with a question mark.',
    'По одной в строке, не больше 10 слов. Слова считаются во всех формах, в кавычках — точно как написано; муж/жена — любое из двух. {имя}, {число} и {день} — любые, {вопрос} — предложение со знаком вопроса.',
  ),
  addPhrase: both('Add a phrase', 'Добавить фразу'),
  removePhrase: both('Remove', 'Убрать'),
  groups: both('And something of each of these groups', 'И что-то из каждой группы'),
  steps: both('Steps, one after the other', 'Шаги по порядку'),
  group: template('Group {}', 'Группа {}'),
  step: template('Step {}', 'Шаг {}'),
  groupsHint: both(
    'Empty groups are left out; save to get another one.',
    'Пустые группы не считаются; сохраните, чтобы появилась ещё одна.',
  ),
  window: both('When in the call', 'Когда в звонке'),
  windows: both(
    { none: 'at any time', first: 'in the first seconds', last: 'in the last seconds' },
    { none: 'в любое время', first: 'в первые секунды', last: 'в последние секунды' },
  ),
  seconds: both('Seconds', 'Секунд'),
  after: both('Only after something was said', 'Только после чего-то'),
  afterSide: both('Who has said it', 'Кто это сказал'),
  afterWords: both('Phrases before it', 'Фразы перед этим'),
  afterRule: both('After another rule', 'После другого правила'),
  noRule: both('no other rule', 'не после правила'),
  within: both('At most so many seconds later', 'Не позже чем через, секунд'),
  na: both('Count it only in calls in which there was an occasion', 'Учитывать, только если был повод'),
  except: both('Not counting', 'Не считая'),
  exceptHint: both(
    'A phrase that shares a word with one of these does not count.',
    'Найденное не считается, если у него есть общее слово с одной из этих фраз.',
  ),
  min: both('At least', 'Не меньше'),
  max: both('At most', 'Не больше'),
  weight: both('Points', 'Баллы'),
  weightHint: template('{} of all points of the set', '{} всех баллов набора'),
  critical: both('Critical: without it the score of the call is 0', 'Критично: без этого оценка звонка — 0'),
  mono: both('Where one cannot tell who speaks', 'Если непонятно, кто говорит'),
  monos: both(
    { usual: 'as is usual for this kind', search: 'look at all that was said', skip: 'leave it open' },
    { usual: 'как обычно для этого вида', search: 'искать во всём сказанном', skip: 'не оценивать' },
  ),
  hint: both(
    { en: 'Explanation in English', ru: 'Explanation in Russian' },
    { en: 'Пояснение по-английски', ru: 'Пояснение' },
  ),
  hintHint: both(
    'What meets the rule, for people and for the model.',
    'Что считать выполнением: для людей и для модели.',
  ),
  more: both('More', 'Ещё'),
}
