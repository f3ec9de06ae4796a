import { defineMessages } from '../../platform/lib/messages.ts'

export const ruleSetMessages = defineMessages('ruleSets', {
  noSet: { en: 'Rule set not found', ru: 'Набор правил не найден.' },
  noVersion: { en: 'Version not found', ru: 'Версия не найдена.' },
  noDraft: { en: 'The rule set has no draft', ru: 'У набора правил нет черновика.' },
  archived: { en: 'The rule set is archived', ru: 'Набор правил в архиве.' },
  keyTaken: { en: 'Another rule set has this key', ru: 'Этот ключ занят другим набором.' },
  requiredWithoutCopy: { en: 'is required unless copyOf is given', ru: 'Заполните это поле.' },
  ownDepartments: {
    en: 'must contain at least one department and only your own',
    ru: 'Выберите хотя бы один отдел, и только из своих.',
  },
  unknownDepartments: { en: 'contains unknown departments: {ids}', ru: 'Одного из отделов уже нет.' },
  asSet: { en: 'must be the same as in the set', ru: 'Должно совпадать с набором.' },
  asSetPatch: {
    en: 'must be the same as in the set; change it with PATCH on the set',
    ru: 'Должно совпадать с набором. Измените это в самом наборе.',
  },
  changedMeanwhile: {
    en: 'The draft was changed, published or discarded. Reload it',
    ru: 'Черновик изменён, опубликован или удалён. Обновите страницу.',
  },
  newZeros: {
    en: 'These rules would give calls a new score of 0: {rules}. Confirm them in confirmNewZeros',
    ru: 'Звонки получат оценку 0 из-за правил: {rules}.',
  },
  draftThere: {
    en: 'A draft already exists. Publish or discard it first',
    ru: 'Черновик уже есть. Сначала опубликуйте или удалите его.',
  },
  otherGroup: {
    en: 'must be another set from the same group as the moved set: sets for departments or sets for all calls',
    ru: 'Наборы отделов всегда идут раньше общих. Переставлять набор можно только внутри его группы.',
  },
  violation: { en: '{place}: {rule}', ru: '{place}: {rule}' },
})
