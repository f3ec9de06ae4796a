import { text, template } from '../frame/words/translation.ts'

export const draftWords = {
  title: text('Draft', 'Черновик'),
  none: text(
    'These are the published rules. Your first change begins a draft: calls go on being judged by the published version until you publish.',
    'Это опубликованные правила. Первое изменение создаст черновик: до публикации звонки оценивает прежняя версия.',
  ),
  changedBy: text('changed by', 'изменил'),
  changed: text('changed', 'изменён'),
  publish: text('Publish', 'Опубликовать'),
  compare: text('Compare on past calls', 'Сравнить на прошлых звонках'),
  discard: text('Throw away', 'Удалить черновик'),
  discardSure: text(
    'What was changed since the published version will be gone.',
    'Всё, что изменено после опубликованной версии, пропадёт.',
  ),
  discardNow: text('Throw the draft away', 'Удалить черновик'),
  discarded: text('The draft is gone.', 'Черновик удалён.'),
  newRule: text('New rule', 'Новое правило'),
  add: text('Add a rule', 'Добавить правило'),
  saved: text('Saved in the draft.', 'Сохранено в черновике.'),
  saveOn: text('Save and go on', 'Сохранить и продолжить'),
  up: text('Move up', 'Выше'),
  down: text('Move down', 'Ниже'),
  deleteSure: template(
    '{} leaves the draft. The published version keeps it until you publish.',
    'Правило «{}» уйдёт из черновика. В опубликованной версии оно останется до публикации.',
  ),
  deleteNow: text('Delete the rule', 'Удалить правило'),
  somebody: text('Somebody', 'Кто-то'),
  conflict: text(
    (who: string, what: string) => `${who} has changed the draft meanwhile${what && `: ${what}`}.`,
    (who, what) => `${who}: черновик тем временем изменён${what && ` — ${what}`}.`,
  ),
  gone: text('The draft was published or thrown away meanwhile.', 'Черновик тем временем опубликовали или удалили.'),
  nothingLost: text(
    'Nothing that you typed is lost: save again to put it on top of that.',
    'Введённое не потеряно: сохраните ещё раз, чтобы добавить его поверх.',
  ),
  theirs: text('The rule is now', 'Правило сейчас'),
}

export const trialWords = {
  title: text('Try on a call', 'Проба на звонке'),
  intro: text(
    'Choose a call that you know: each rule then shows what it finds there.',
    'Выберите знакомый звонок: у каждого правила будет видно, что оно в нём находит.',
  ),
  call: text('Call', 'Звонок'),
  address: text('or the address of its page', 'или адрес его страницы'),
  pin: text('Try', 'Проверить'),
  pinned: text(
    'The call is kept: edit a rule set and see what its rules find there.',
    'Звонок выбран: откройте набор правил и увидите, что его правила в нём находят.',
  ),
  another: text('Another call', 'Другой звонок'),
  score: text('Score', 'Оценка'),
  noScore: text('no score', 'без оценки'),
  coverage: template('{} of the points could be judged', 'удалось оценить {} баллов'),
  wordsOnly: text('By words alone: no model is asked.', 'Только по словам: модель не спрашивают.'),
  ask: text('Ask the model', 'Спросить модель'),
  sends: template(
    'Sends the text of this call and all rules of the draft to {} ({}), once. Long numbers are hidden, phone, manager and ids are never sent',
    'Текст этого звонка и все правила черновика один раз уйдут на {} ({}). Длинные числа скрыты, телефон, менеджер и идентификаторы не отправляются',
  ),
  withNames: text('; names in the text are.', '; имена из текста — да.'),
  withoutNames: text('; names in the text neither.', '; имена из текста тоже нет.'),
  asked: template('Judged by {} on {}', 'Проверила модель {} на {}'),
  refused: text(
    'The model was asked in vain; these are the words alone.',
    'Модель не помогла, ниже — только по словам.',
  ),
  notAsked: text('A model judges this, and nobody has asked it.', 'Это решает модель, а её не спрашивали.'),
  decidedBy: text({ rules: 'by words', model: 'by the model' }, { rules: 'по словам', model: 'решила модель' }),
  now: text('As you have typed it', 'Как вы ввели'),
  check: text('Try without saving', 'Проверить без сохранения'),
  unfinished: text('Not whole yet:', 'Пока не готово:'),
  play: text('play', 'слушать'),
}
