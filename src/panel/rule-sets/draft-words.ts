import { both, template } from '../frame/words/translation.ts'

export const draft = {
  title: both('Draft', 'Черновик'),
  none: both(
    'These are the published rules. Your first change begins a draft: calls go on being judged by the published version until you publish.',
    'Это опубликованные правила. Первое изменение создаст черновик: до публикации звонки оценивает прежняя версия.',
  ),
  changedBy: both('changed by', 'изменил'),
  changed: both('changed', 'изменён'),
  publish: both('Publish', 'Опубликовать'),
  compare: both('Compare on past calls', 'Сравнить на прошлых звонках'),
  discard: both('Throw away', 'Удалить черновик'),
  discardSure: both(
    'What was changed since the published version will be gone.',
    'Всё, что изменено после опубликованной версии, пропадёт.',
  ),
  discardNow: both('Throw the draft away', 'Удалить черновик'),
  discarded: both('The draft is gone.', 'Черновик удалён.'),
  newRule: both('New rule', 'Новое правило'),
  add: both('Add a rule', 'Добавить правило'),
  saved: both('Saved in the draft.', 'Сохранено в черновике.'),
  saveOn: both('Save and go on', 'Сохранить и продолжить'),
  up: both('Move up', 'Выше'),
  down: both('Move down', 'Ниже'),
  deleteSure: template(
    '{} leaves the draft. The published version keeps it until you publish.',
    'Правило «{}» уйдёт из черновика. В опубликованной версии оно останется до публикации.',
  ),
  deleteNow: both('Delete the rule', 'Удалить правило'),
  somebody: both('Somebody', 'Кто-то'),
  conflict: both(
    (who: string, what: string) => `${who} has changed the draft meanwhile${what && `: ${what}`}.`,
    (who, what) => `${who}: черновик тем временем изменён${what && ` — ${what}`}.`,
  ),
  gone: both('The draft was published or thrown away meanwhile.', 'Черновик тем временем опубликовали или удалили.'),
  nothingLost: both(
    'Nothing that you typed is lost: save again to put it on top of that.',
    'Введённое не потеряно: сохраните ещё раз, чтобы добавить его поверх.',
  ),
  theirs: both('The rule is now', 'Правило сейчас'),
}

export const trial = {
  title: both('Try on a call', 'Проба на звонке'),
  intro: both(
    'Choose a call that you know: each rule then shows what it finds there.',
    'Выберите знакомый звонок: у каждого правила будет видно, что оно в нём находит.',
  ),
  call: both('Call', 'Звонок'),
  address: both('or the address of its page', 'или адрес его страницы'),
  pin: both('Try', 'Проверить'),
  pinned: both(
    'The call is kept: edit a rule set and see what its rules find there.',
    'Звонок выбран: откройте набор правил и увидите, что его правила в нём находят.',
  ),
  another: both('Another call', 'Другой звонок'),
  score: both('Score', 'Оценка'),
  noScore: both('no score', 'без оценки'),
  coverage: template('{} of the points could be judged', 'удалось оценить {} баллов'),
  wordsOnly: both('By words alone: no model is asked.', 'Только по словам: модель не спрашивают.'),
  ask: both('Ask the model', 'Спросить модель'),
  sends: template(
    'Sends the text of this call and all rules of the draft to {} ({}), once. Long numbers are hidden, phone, manager and ids are never sent',
    'Текст этого звонка и все правила черновика один раз уйдут на {} ({}). Длинные числа скрыты, телефон, менеджер и идентификаторы не отправляются',
  ),
  withNames: both('; names in the text are.', '; имена из текста — да.'),
  withoutNames: both('; names in the text neither.', '; имена из текста тоже нет.'),
  asked: template('Judged by {} on {}', 'Проверила модель {} на {}'),
  refused: both(
    'The model was asked in vain; these are the words alone.',
    'Модель не помогла, ниже — только по словам.',
  ),
  notAsked: both('A model judges this, and nobody has asked it.', 'Это решает модель, а её не спрашивали.'),
  decidedBy: both({ rules: 'by words', model: 'by the model' }, { rules: 'по словам', model: 'решила модель' }),
  now: both('As you have typed it', 'Как вы ввели'),
  check: both('Try without saving', 'Проверить без сохранения'),
  unfinished: both('Not whole yet:', 'Пока не готово:'),
  play: both('play', 'слушать'),
}
