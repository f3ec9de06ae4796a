/** Stems of words in stage names that say that a deal was lost, but not why. */
const STEMS = 'deal los fail clos unsuccess refus reject declin client customer analy reason unknown'
const RUSSIAN_STEMS =
  'сделк лид провал проигр отказ закрыт реализован нереализован успеш неуспе неудач потер заверш клиент анализ причин указан неизвестн'
const SHORT_WORDS = 'not no won by the and of none given не нет и без'

const anyOf = (words: string) => `(${words.replaceAll(' ', '|')})`
const WORD = `(${anyOf(`${STEMS} ${RUSSIAN_STEMS}`)}[[:alpha:]]*|${anyOf(SHORT_WORDS)})`
/** No question mark: our query builder would take it for a placeholder. */
const SAYS_NOTHING = `^[^[:alpha:]]*(${WORD}([^[:alpha:]]+|$))*$`

/** SQL: the loss reason of a deal in the lost stage s, its name; null if the name only says that the deal was lost. */
export const REASON = `CASE WHEN s.name <> s.id AND s.name !~* '${SAYS_NOTHING}' THEN s.name END`
