import { defineMessages } from '../../platform/lib/messages.ts'

/** Rules for an entry of a synonym group. */
export const synonymMessages = defineMessages('synonyms', {
  noWord: { en: 'must contain a letter or a digit', ru: 'Нужна хотя бы одна буква или цифра.' },
  tooManyWords: { en: 'must have at most {limit} words', ru: 'Не больше {limit} слов.' },
  repeated: { en: 'must not be repeated in its group', ru: 'Слово не должно повторяться в своей группе.' },
  inTwoGroups: { en: 'must be in one group only', ru: 'Слово может быть только в одной группе.' },
})
