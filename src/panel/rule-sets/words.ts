import { text, template } from '../frame/words/translation.ts'
import { pluralTemplate } from '../frame/words/grammar.ts'
import { draftWords, trialWords } from './draft-words.ts'
import { orderWords, reachWords } from './order-words.ts'
import { publishWords } from './publish-words.ts'
import { RULE_KIND_WORDS } from './kind-views.ts'
import { ruleFieldWords } from './rule-words.ts'

/** A phrase about a number within bounds; an absent bound is null. */
type FormatBounds = (min: string | null, max: string | null) => string

const formatBoundsEn: FormatBounds = (min, max) =>
  min === null ? `at most ${max}` : max === null ? `at least ${min}` : min === max ? min : `from ${min} to ${max}`
const formatBoundsRu: FormatBounds = (min, max) =>
  min === null ? `не больше ${max}` : max === null ? `не меньше ${min}` : min === max ? min : `от ${min} до ${max}`

/** The parts of sentences about rules, in the order of their words; speakers are lower case within. */
const sentenceWords = {
  sides: text(
    { agent: 'the agent', client: 'the client', any: 'either side' },
    { agent: 'менеджер', client: 'клиент', any: 'кто-то из двоих' },
  ),
  bounds: text(formatBoundsEn, formatBoundsRu),
  and: text('and something of', 'и что-то из'),
  first: pluralTemplate('in the first {} {second|seconds}', 'в первые {} {секунду|секунды|секунд}'),
  last: pluralTemplate('in the last {} {second|seconds}', 'в последние {} {секунду|секунды|секунд}'),
  after: template('after {} has said one of', 'после того как {} сказал одно из:'),
  afterRule: template('after “{}”', 'после «{}»'),
  within: pluralTemplate('at most {} {second|seconds} later', 'не позже чем через {} {секунду|секунды|секунд}'),
  except: text('not counting', 'не считая'),
  onlyThen: text('Counts only in calls in which there was an occasion.', 'Учитывается, только если был повод.'),
  critical: text('Critical: without it the score of the call is 0.', 'Критично: без этого оценка звонка — 0.'),
  more: template('and {} more', 'и ещё {}'),
  noPhrases: text('(no phrases yet)', '(фраз пока нет)'),
  points: pluralTemplate('{} {point|points}', '{} {балл|балла|баллов}'),
}

/** Rule sets, their rules, versions and drafts. */
export const ruleSetWords = {
  title: text('Rule sets', 'Наборы правил'),
  intro: text(
    'Each call is judged by the first set of points that fits it, and gets labels from every set of labels.',
    'Звонок оценивает первый подходящий набор с баллами; метки ставит каждый набор меток.',
  ),
  add: text('New rule set', 'Новый набор'),
  archived: text('Archived sets', 'Архив наборов'),
  inUse: text('Sets in use', 'Действующие наборы'),
  noneTitle: text('No rule sets', 'Наборов нет'),
  none: text('Without a rule set no call is checked.', 'Без набора правил звонки не проверяются.'),
  noneArchived: text('Nothing was archived.', 'В архиве ничего нет.'),
  columns: {
    name: text('Rule set', 'Набор'),
    applies: text('For which calls', 'Для каких звонков'),
    version: text('In use', 'Действует'),
    draft: text('Draft', 'Черновик'),
    order: text('Order', 'Порядок'),
  },
  modes: text({ score: 'points', label: 'labels' }, { score: 'баллы', label: 'метки' }),
  version: template('version {}', 'версия {}'),
  notPublished: text('not published', 'не опубликован'),
  hasDraft: text('draft', 'черновик'),
  isArchived: text('archived', 'в архиве'),
  applies: {
    all: text('all calls', 'все звонки'),
    directions: text(
      { INBOUND: 'incoming', OUTBOUND: 'outgoing', none: 'without a direction' },
      { INBOUND: 'входящие', OUTBOUND: 'исходящие', none: 'без направления' },
    ),
    seconds: pluralTemplate('from {} s', 'от {} с'),
    words: pluralTemplate('from {} {word|words}', 'от {} {слова|слов|слов}'),
    department: template('department {}', 'отдел {}'),
    otherDepartment: text('a department', 'отдел'),
  },
  rules: text('Rules', 'Правила'),
  allWords: text('All words', 'Все слова'),
  edit: text('Edit', 'Изменить'),
  goOn: text('Go on with the draft', 'К черновику'),
  copy: text('Copy', 'Скопировать'),
  copyForYours: text('Copy for your department', 'Скопировать для своего отдела'),
  settings: text('Name and calls', 'Название и звонки'),
  archive: text('Archive', 'В архив'),
  archiveSure: template(
    '{} judges no further calls. What it has found stays.',
    'Набор «{}» больше не будет оценивать звонки. Найденное останется.',
  ),
  archiveNow: text('Archive the set', 'Убрать в архив'),
  archivedNotice: template('{} was archived.', 'Набор «{}» в архиве.'),
  global: text(
    'It judges the calls of everybody: only an owner changes it. Make a copy for your department and change that.',
    'Он оценивает все звонки: менять его может только владелец. Сделайте копию для своего отдела и меняйте её.',
  ),
  unpublishedYet: text('Nothing of it is published yet.', 'Пока ничего не опубликовано.'),

  versions: text('Versions', 'Версии'),
  states: text(
    { draft: 'draft', published: 'in use', retired: 'earlier' },
    { draft: 'черновик', published: 'действует', retired: 'прежняя' },
  ),
  versionColumns: {
    version: text('Version', 'Версия'),
    state: text('State', 'Состояние'),
    note: text('Note', 'Примечание'),
    by: text('Who', 'Кто'),
    at: text('When', 'Когда'),
  },
  fromService: text('came with the service', 'поставляется с сервисом'),
  versionTitle: template('Version {}', 'Версия {}'),
  againstBefore: template('What differs from version {}', 'Отличия от версии {}'),
  firstVersion: text('This is the first version.', 'Это первая версия.'),
  noDifference: text('The rules are the same.', 'Правила те же.'),
  change: text(
    { added: 'new', removed: 'removed', changed: 'changed' },
    { added: 'новое', removed: 'убрано', changed: 'изменено' },
  ),
  restore: text('Take as the draft', 'Взять в черновик'),
  restored: text('The draft now has the rules of this version.', 'Теперь в черновике правила этой версии.'),
  hasDraftAlready: text(
    'There is a draft already: publish it or throw it away first.',
    'Черновик уже есть: сначала опубликуйте его или удалите.',
  ),

  newTitle: text('New rule set', 'Новый набор правил'),
  begin: text('Begin with', 'Начать с'),
  beginnings: text(
    { score: 'points, and one rule: the greeting', label: 'labels, and one rule: the price' },
    { score: 'баллов и одного правила: приветствие', label: 'меток и одного правила: цена' },
  ),
  copyOf: template('a copy of {}', 'копии: {}'),
  create: text('Create', 'Создать'),
  created: text(
    'The set is a draft: it judges calls once you publish it.',
    'Это черновик: набор начнёт оценивать звонки после публикации.',
  ),
  saved: text(
    'Saved. It holds for calls that are checked from now on.',
    'Сохранено. Действует для звонков, которые будут проверены дальше.',
  ),
  name: text({ en: 'Name in English', ru: 'Name in Russian' }, { en: 'Название по-английски', ru: 'Название' }),
  direction: text('Directions', 'Направления'),
  directionHint: text('None chosen: all calls.', 'Ничего не выбрано — все звонки.'),
  departments: text('Departments', 'Отделы'),
  departmentsHint: text('None chosen: the calls of everybody.', 'Ничего не выбрано — звонки всех.'),
  minDurationSeconds: text('Calls of at least so many seconds', 'Звонки не короче, секунд'),
  minWords: text('Calls of at least so many words', 'Звонки не короче, слов'),
  errors: {
    stale: text(
      'Somebody has changed it meanwhile. Look at it again.',
      'Его тем временем изменили. Посмотрите ещё раз.',
    ),
    archived: text('The set is archived.', 'Набор в архиве.'),
  },
  starter: {
    score: text('Greets the client', 'Поздоровался'),
    label: text('Price', 'Цена'),
  },
  draft: draftWords,
  order: orderWords,
  reach: reachWords,
  publishing: publishWords,
  trial: trialWords,
  kinds: RULE_KIND_WORDS,
  fields: ruleFieldWords,
  sentence: sentenceWords,
}
