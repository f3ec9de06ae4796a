import { text, textTemplate } from '../frame/words/translation.ts'
import { pluralTemplate } from '../frame/words/grammar.ts'
import { ruleDraftWords, ruleTrialWords } from './draft-words.ts'
import { ruleSetOrderWords, ruleSetReachWords } from './order-words.ts'
import { rulePublishWords } from './publish-words.ts'
import { RULE_KIND_WORDS } from './kind-views.ts'
import { ruleFieldWords } from './rule-words.ts'

/** Formats the limits of a number as a phrase. An absent limit is null. */
type FormatBounds = (min: string | null, max: string | null) => string

const formatBoundsEn: FormatBounds = (min, max) =>
  min === null ? `at most ${max}` : max === null ? `at least ${min}` : min === max ? min : `from ${min} to ${max}`
const formatBoundsRu: FormatBounds = (min, max) =>
  min === null ? `не больше ${max}` : max === null ? `не меньше ${min}` : min === max ? min : `от ${min} до ${max}`

/** Parts of the sentences about rules. They are lower case, because they also occur within a sentence. */
const sentenceWords = {
  sides: text(
    { agent: 'the agent', client: 'the client', any: 'either speaker' },
    { agent: 'менеджер', client: 'клиент', any: 'кто-то из двоих' },
  ),
  bounds: text(formatBoundsEn, formatBoundsRu),
  and: text('and one of', 'и что-то из'),
  first: pluralTemplate('in the first {} {second|seconds}', 'в первые {} {секунду|секунды|секунд}'),
  last: pluralTemplate('in the last {} {second|seconds}', 'в последние {} {секунду|секунды|секунд}'),
  after: textTemplate('after {} has said one of', 'после того как {} сказал одно из:'),
  afterRule: textTemplate('after “{}”', 'после «{}»'),
  within: pluralTemplate('at most {} {second|seconds} later', 'не позже чем через {} {секунду|секунды|секунд}'),
  except: text('not counting', 'не считая'),
  onlyThen: text('Applies only if the situation arises.', 'Применяется, только если возникла ситуация.'),
  critical: text('Critical: if missed, the score is 0.', 'Критичное: если не выполнено, оценка 0.'),
  more: textTemplate('and {} more', 'и ещё {}'),
  noPhrases: text('(no phrases yet)', '(фраз пока нет)'),
  points: pluralTemplate('{} {point|points}', '{} {балл|балла|баллов}'),
}

export const ruleSetWords = {
  title: text('Rule sets', 'Наборы правил'),
  intro: text(
    'The first matching set scores a call; all label sets label it.',
    'Звонок оценивает первый подходящий набор, метки ставят все наборы меток.',
  ),
  add: text('New rule set', 'Новый набор'),
  archived: text('Archived sets', 'Архив наборов'),
  inUse: text('Active sets', 'Действующие наборы'),
  noneTitle: text('No rule sets yet', 'Наборов пока нет'),
  none: text('Calls are checked once a rule set is published.', 'Звонки проверяются после публикации набора.'),
  noneArchived: text('The archive is empty.', 'Архив пуст.'),
  columns: {
    name: text('Rule set', 'Набор'),
    applies: text('Calls', 'Звонки'),
    version: text('In use', 'Действует'),
    draft: text('Draft', 'Черновик'),
    order: text('Order', 'Порядок'),
  },
  modes: text({ score: 'score', label: 'labels' }, { score: 'оценка', label: 'метки' }),
  version: textTemplate('version {}', 'версия {}'),
  notPublished: text('not published', 'не опубликован'),
  hasDraft: text('draft', 'черновик'),
  isArchived: text('archived', 'в архиве'),
  applies: {
    all: text('all calls', 'все звонки'),
    directions: text(
      { INBOUND: 'incoming', OUTBOUND: 'outgoing', none: 'without a direction' },
      { INBOUND: 'входящие', OUTBOUND: 'исходящие', none: 'без направления' },
    ),
    seconds: pluralTemplate('at least {} s', 'от {} с'),
    words: pluralTemplate('at least {} {word|words}', 'от {} {слова|слов|слов}'),
    department: textTemplate('department {}', 'отдел {}'),
    otherDepartment: text('a department', 'отдел'),
  },
  rules: text('Rules', 'Правила'),
  allWords: text('Phrases', 'Фразы'),
  allWordsPage: text('Show all phrases', 'Показать все фразы'),
  edit: text('Edit', 'Изменить'),
  goOn: text('Edit draft', 'Изменить черновик'),
  copy: text('Copy', 'Копировать'),
  copyForYours: text('Copy for your department', 'Копировать для отдела'),
  settings: text('Settings', 'Настройки'),
  archive: text('Archive', 'Убрать в архив'),
  archiveSure: textTemplate(
    'Archive “{}”? Its checks stop. Existing scores stay.',
    'Убрать «{}» в архив? Проверки прекратятся, оценки останутся.',
  ),
  archiveNow: text('Archive', 'Убрать в архив'),
  archivedNotice: textTemplate('“{}” archived.', 'Набор «{}» в архиве.'),
  global: text(
    'This set applies to all departments, so only an owner can change it. Copy it for your department instead.',
    'Набор действует для всех отделов, менять его может только владелец. Скопируйте его для своего отдела.',
  ),
  unpublishedYet: text('Not published yet.', 'Пока не опубликован.'),

  versions: text('Versions', 'Версии'),
  states: text(
    { draft: 'draft', published: 'in use', retired: 'earlier' },
    { draft: 'черновик', published: 'действует', retired: 'прежняя' },
  ),
  versionColumns: {
    version: text('Version', 'Версия'),
    state: text('Status', 'Статус'),
    note: text('Note', 'Примечание'),
    by: text('Person', 'Сотрудник'),
    at: text('Time', 'Время'),
  },
  fromService: text('supplied with the service', 'поставляется с сервисом'),
  versionTitle: textTemplate('Version {}', 'Версия {}'),
  againstBefore: textTemplate('Changes from version {}', 'Отличия от версии {}'),
  firstVersion: text('This is the first version.', 'Это первая версия.'),
  noDifference: text('No changes.', 'Отличий нет.'),
  change: text(
    { added: 'added', removed: 'removed', changed: 'changed' },
    { added: 'добавлено', removed: 'убрано', changed: 'изменено' },
  ),
  restore: text('Copy to draft', 'Скопировать в черновик'),
  restored: text('The draft now has the rules of this version.', 'В черновике правила этой версии.'),
  hasDraftAlready: text(
    'A draft already exists. Publish or discard it first.',
    'Черновик уже есть. Сначала опубликуйте или удалите его.',
  ),

  newTitle: text('New rule set', 'Новый набор правил'),
  begin: text('Start with', 'Начать с'),
  beginnings: text(
    { score: 'a scored set with one rule, Greeting', label: 'a label set with one label, Price' },
    { score: 'набора с оценкой и правилом «Приветствие»', label: 'набора меток с меткой «Цена»' },
  ),
  copyOf: textTemplate('a copy of {}', 'копии «{}»'),
  copyName: textTemplate('{} (copy)', '{} (копия)'),
  create: text('Create', 'Создать'),
  created: text(
    'Draft created. Publish it to check calls.',
    'Черновик создан. Опубликуйте его, чтобы проверять звонки.',
  ),
  saved: text('Saved. Applies to new checks.', 'Сохранено. Действует для новых проверок.'),
  name: text(
    { en: 'Name in English', ru: 'Name in Russian' },
    { en: 'Название по-английски', ru: 'Название по-русски' },
  ),
  direction: text('Directions', 'Направления'),
  directionHint: text('None selected: all calls.', 'Не выбрано — все звонки.'),
  departments: text('Departments', 'Отделы'),
  departmentsHint: text('None selected: all departments.', 'Не выбрано — все отделы.'),
  minDurationSeconds: text('Minimum duration, seconds', 'Минимальная длительность, секунд'),
  minWords: text('Minimum number of words', 'Минимальное число слов'),
  errors: {
    stale: text('This data has changed. Reload the page.', 'Данные изменились. Обновите страницу.'),
    archived: text('This set is archived.', 'Набор в архиве.'),
  },
  starter: {
    score: text('Greeting', 'Приветствие'),
    label: text('Price', 'Цена'),
  },
  draft: ruleDraftWords,
  order: ruleSetOrderWords,
  reach: ruleSetReachWords,
  publishing: rulePublishWords,
  trial: ruleTrialWords,
  kinds: RULE_KIND_WORDS,
  fields: ruleFieldWords,
  sentence: sentenceWords,
}
