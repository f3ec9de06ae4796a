import { defineMessages } from '../../platform/lib/messages.ts'

export const ruleSetMessages = defineMessages('ruleSets', {
  noSet: { en: 'There is no such rule set', ru: 'Такого набора правил нет.' },
  noVersion: { en: 'There is no such version', ru: 'Такой версии нет.' },
  noDraft: { en: 'There is no draft', ru: 'Черновика нет.' },
  archived: { en: 'The rule set is archived', ru: 'Набор правил в архиве.' },
  keyTaken: { en: 'Another rule set has this key', ru: 'Такой ключ есть у другого набора.' },
  requiredWithoutCopy: { en: 'is required without copyOf', ru: 'Заполните это поле.' },
  ownDepartments: {
    en: 'must name departments of yours, at least one and no other',
    ru: 'Нужен хотя бы один отдел, и только ваши.',
  },
  unknownDepartments: { en: 'holds no department: {ids}', ru: 'Одного из отделов уже нет.' },
  asSet: { en: 'must be as the set has it', ru: 'Должно быть как у набора.' },
  asSetPatch: {
    en: 'must be as the set has it: PATCH the set to change it',
    ru: 'Должно быть как у набора: меняется у самого набора.',
  },
  changedMeanwhile: {
    en: 'Somebody has changed, published or removed the draft meanwhile',
    ru: 'Черновик тем временем изменён, опубликован или удалён.',
  },
  newZeros: {
    en: 'Calls would newly get 0 by: {rules}. Say in confirmNewZeros that this is meant',
    ru: 'Звонки впервые получили бы 0: {rules}.',
  },
  draftThere: {
    en: 'There is a draft already: publish it or throw it away first',
    ru: 'Черновик уже есть: сначала опубликуйте его или удалите.',
  },
  otherGroup: {
    en: 'must be another set for all calls, or another set for departments, like the moved one',
    ru: 'Наборы отделов всегда идут раньше общих: переставлять можно только внутри своей группы.',
  },
  violation: { en: '{place}: {rule}', ru: '{place}: {rule}' },
})
