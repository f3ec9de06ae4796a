import { both, template } from '../frame/words/translation.ts'
import { counted } from '../frame/words/grammar.ts'
import { draft, trial } from './draft-words.ts'
import { publishing } from './publish-words.ts'
import { KIND_WORDS } from './kind-views.ts'
import { fields } from './rule-words.ts'
import { sentence } from './sentence-words.ts'

/** By what calls are checked: rule sets, their rules, versions and drafts. */
export const ruleSets = {
  title: both('Rule sets', 'Наборы правил'),
  intro: both(
    'Each call is judged by the first set of points that fits it, and gets labels from every set of labels.',
    'Звонок оценивает первый подходящий набор с баллами; метки ставит каждый набор меток.',
  ),
  add: both('New rule set', 'Новый набор'),
  archived: both('Archived sets', 'Архив наборов'),
  inUse: both('Sets in use', 'Действующие наборы'),
  noneTitle: both('No rule sets', 'Наборов нет'),
  none: both('Without a rule set no call is checked.', 'Без набора правил звонки не проверяются.'),
  noneArchived: both('Nothing was archived.', 'В архиве ничего нет.'),
  columns: {
    name: both('Rule set', 'Набор'),
    applies: both('For which calls', 'Для каких звонков'),
    version: both('In use', 'Действует'),
    draft: both('Draft', 'Черновик'),
  },
  modes: both({ score: 'points', label: 'labels' }, { score: 'баллы', label: 'метки' }),
  version: template('version {}', 'версия {}'),
  notPublished: both('not published', 'не опубликован'),
  hasDraft: both('draft', 'черновик'),
  isArchived: both('archived', 'в архиве'),
  applies: {
    all: both('all calls', 'все звонки'),
    directions: both(
      { INBOUND: 'incoming', OUTBOUND: 'outgoing', none: 'without a direction' },
      { INBOUND: 'входящие', OUTBOUND: 'исходящие', none: 'без направления' },
    ),
    seconds: both(
      (_: number, shown: string) => `from ${shown} s`,
      (_, shown) => `от ${shown} с`,
    ),
    words: counted('from {} {word|words}', 'от {} {слова|слов|слов}'),
    department: template('department {}', 'отдел {}'),
    otherDepartment: both('a department', 'отдел'),
  },
  rules: both('Rules', 'Правила'),
  allWords: both('All words', 'Все слова'),
  edit: both('Edit', 'Изменить'),
  goOn: both('Go on with the draft', 'К черновику'),
  copy: both('Copy', 'Скопировать'),
  copyForYours: both('Copy for your department', 'Скопировать для своего отдела'),
  settings: both('Name and calls', 'Название и звонки'),
  archive: both('Archive', 'В архив'),
  archiveSure: template(
    '{} judges no further calls. What it has found stays.',
    'Набор «{}» больше не будет оценивать звонки. Найденное останется.',
  ),
  archiveNow: both('Archive the set', 'Убрать в архив'),
  archivedNotice: template('{} was archived.', 'Набор «{}» в архиве.'),
  global: both(
    'It judges the calls of everybody: only an owner changes it. Make a copy for your department and change that.',
    'Он оценивает все звонки: менять его может только владелец. Сделайте копию для своего отдела и меняйте её.',
  ),
  unpublishedYet: both('Nothing of it is published yet.', 'Пока ничего не опубликовано.'),

  versions: both('Versions', 'Версии'),
  states: both(
    { draft: 'draft', published: 'in use', retired: 'earlier' },
    { draft: 'черновик', published: 'действует', retired: 'прежняя' },
  ),
  versionColumns: {
    version: both('Version', 'Версия'),
    state: both('State', 'Состояние'),
    note: both('Note', 'Примечание'),
    by: both('Who', 'Кто'),
    at: both('When', 'Когда'),
  },
  fromService: both('came with the service', 'поставляется с сервисом'),
  versionTitle: template('Version {}', 'Версия {}'),
  againstBefore: template('What differs from version {}', 'Отличия от версии {}'),
  firstVersion: both('This is the first version.', 'Это первая версия.'),
  noDifference: both('The rules are the same.', 'Правила те же.'),
  change: both(
    { added: 'new', removed: 'removed', changed: 'changed' },
    { added: 'новое', removed: 'убрано', changed: 'изменено' },
  ),
  restore: both('Take as the draft', 'Взять в черновик'),
  restored: both('The draft now has the rules of this version.', 'Теперь в черновике правила этой версии.'),
  hasDraftAlready: both(
    'There is a draft already: publish it or throw it away first.',
    'Черновик уже есть: сначала опубликуйте его или удалите.',
  ),

  newTitle: both('New rule set', 'Новый набор правил'),
  begin: both('Begin with', 'Начать с'),
  beginnings: both(
    { score: 'points, and one rule: the greeting', label: 'labels, and one rule: the price' },
    { score: 'баллов и одного правила: приветствие', label: 'меток и одного правила: цена' },
  ),
  copyOf: template('a copy of {}', 'копии: {}'),
  create: both('Create', 'Создать'),
  created: both(
    'The set is a draft: it judges calls once you publish it.',
    'Это черновик: набор начнёт оценивать звонки после публикации.',
  ),
  saved: both(
    'Saved. It holds for calls that are checked from now on.',
    'Сохранено. Действует для звонков, которые будут проверены дальше.',
  ),
  name: both({ en: 'Name in English', ru: 'Name in Russian' }, { en: 'Название по-английски', ru: 'Название' }),
  direction: both('Directions', 'Направления'),
  directionHint: both('None chosen: all calls.', 'Ничего не выбрано — все звонки.'),
  departments: both('Departments', 'Отделы'),
  departmentsHint: both('None chosen: the calls of everybody.', 'Ничего не выбрано — звонки всех.'),
  minDurationSeconds: both('Calls of at least so many seconds', 'Звонки не короче, секунд'),
  minWords: both('Calls of at least so many words', 'Звонки не короче, слов'),
  position: both('Place in the order', 'Место по порядку'),
  positionHint: both(
    'Of several sets of points that fit a call the first one judges it; sets of departments come before those for all calls.',
    'Из нескольких подходящих наборов с баллами звонок оценивает первый; наборы отделов идут раньше общих.',
  ),
  errors: {
    stale: both(
      'Somebody has changed it meanwhile. Look at it again.',
      'Его тем временем изменили. Посмотрите ещё раз.',
    ),
    archived: both('The set is archived.', 'Набор в архиве.'),
  },
  starter: {
    score: both('Greets the client', 'Поздоровался'),
    label: both('Price', 'Цена'),
  },
  draft,
  publishing,
  trial,
  kinds: KIND_WORDS,
  fields,
  sentence,
}
