/** Beginnings of the words in names that say that a deal was lost, but not why. */
const STEMS = 'deal los fail clos unsuccess refus reject declin client customer analy reason unknown'
const RUSSIAN_STEMS =
  'сделк лид провал проигр отказ закрыт реализован нереализован успеш неуспе неудач потер заверш клиент анализ причин указан неизвестн'
const SHORT_WORDS = 'not no won by the and of none given не нет и без'

const anyOf = (words: string) => `(${words.replaceAll(' ', '|')})`
const WORD = `(${anyOf(`${STEMS} ${RUSSIAN_STEMS}`)}[[:alpha:]]*|${anyOf(SHORT_WORDS)})`
/** Has no question mark, which would be taken for a placeholder. */
const SAYS_NOTHING = `^[^[:alpha:]]*(${WORD}([^[:alpha:]]+|$))*$`

/** The reason that a deal in the lost stage s gives, as SQL: the name of the stage; null if it only says that the deal was lost. */
export const REASON = `CASE WHEN s.name <> s.id AND s.name !~* '${SAYS_NOTHING}' THEN s.name END`
