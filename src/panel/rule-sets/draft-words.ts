import { text, textTemplate } from '../frame/words/translation.ts'

export const ruleDraftWords = {
  title: text('Draft', 'Черновик'),
  none: text(
    'These are the published rules. Your first change creates a draft. Calls use the published version until you publish.',
    'Это опубликованные правила. Первое изменение создаст черновик. До публикации действует прежняя версия.',
  ),
  changedBy: text('changed by', 'автор изменений:'),
  changed: text('changed', 'изменён'),
  publish: text('Publish', 'Опубликовать'),
  compare: text('Test on past calls', 'Проверить на прошлых звонках'),
  discard: text('Discard draft', 'Удалить черновик'),
  discardSure: text(
    'Discard the draft? All unpublished changes will be lost.',
    'Удалить черновик? Все неопубликованные изменения пропадут.',
  ),
  discardNow: text('Discard draft', 'Удалить черновик'),
  discarded: text('Draft discarded.', 'Черновик удалён.'),
  newRule: text('New rule', 'Новое правило'),
  add: text('Add rule', 'Добавить правило'),
  saved: text('Saved in the draft.', 'Сохранено в черновике.'),
  saveOn: text('Save and continue', 'Сохранить и продолжить'),
  up: text('Move up', 'Выше'),
  down: text('Move down', 'Ниже'),
  deleteSure: textTemplate(
    'Delete “{}” from the draft? The published version keeps it until you publish.',
    'Удалить правило «{}» из черновика? В действующей версии оно останется до публикации.',
  ),
  deleteNow: text('Delete rule', 'Удалить правило'),
  somebody: text('Somebody', 'другой сотрудник'),
  conflict: text(
    (who: string, what: string) => `${who} changed the draft${what && `: ${what}`}.`,
    (who, what) => `Черновик изменён: ${who}${what && ` — ${what}`}.`,
  ),
  gone: text('The draft was published or discarded.', 'Черновик опубликован или удалён.'),
  nothingLost: text(
    'Your changes are kept. Save again to apply them.',
    'Ваши изменения не потеряны. Сохраните ещё раз, чтобы применить их.',
  ),
  theirs: text('Current rule', 'Правило сейчас'),
}

export const ruleTrialWords = {
  title: text('Test on a call', 'Проверка на звонке'),
  intro: text(
    'Choose a call you know. Each rule shows what it finds there.',
    'Выберите знакомый звонок. Каждое правило покажет, что оно в нём находит.',
  ),
  find: text('Phone, manager or address of the call', 'Телефон, менеджер или адрес звонка'),
  findNow: text('Find', 'Найти'),
  recent: text('Recent calls', 'Последние звонки'),
  found: text('Found calls', 'Найденные звонки'),
  noneFound: text('No calls found.', 'Звонки не найдены.'),
  scoreOf: textTemplate('score {}', 'оценка {}'),
  pinned: text(
    'Call selected. Edit a rule set to see what its rules find.',
    'Звонок выбран. Откройте набор правил, чтобы увидеть результат.',
  ),
  another: text('Another call', 'Другой звонок'),
  score: text('Score', 'Оценка'),
  noScore: text('no score', 'без оценки'),
  coverage: textTemplate('{} of points checked', 'проверено {} баллов'),
  wordsOnly: text('By phrases only, without the model.', 'Только по фразам, без модели.'),
  ask: text('Ask the model', 'Спросить модель'),
  sends: textTemplate(
    'Sends the transcript and the rules of the draft to {} ({}) once. Long numbers are hidden. Phones, managers and IDs are not sent',
    'Расшифровка и правила черновика один раз уйдут на {} ({}). Длинные числа скрыты. Телефоны, имена менеджеров и ID не отправляются',
  ),
  withNames: text(', but names in the transcript are.', ', а имена из расшифровки отправляются.'),
  withoutNames: text(', nor are names in the transcript.', ', имена из расшифровки — тоже.'),
  asked: textTemplate('Result of {} on {}', 'Ответ модели {} на {}'),
  refused: text(
    'The model did not answer. Phrase results only.',
    'Модель не ответила. Ниже результат только по фразам.',
  ),
  notAsked: text(
    'The model determines this. Ask it to see the result.',
    'Это определяет модель. Спросите её, чтобы увидеть результат.',
  ),
  decidedBy: text({ rules: 'by phrases', model: 'by the model' }, { rules: 'по фразам', model: 'по ответу модели' }),
  now: text('Test on a call', 'Проверка на звонке'),
  check: text('Test without saving', 'Проверить без сохранения'),
  unfinished: text('Not complete yet:', 'Ещё не заполнено:'),
  play: text('play', 'слушать'),
}
