/** Longer text never counts as a number or a date. */
const MAX_NUMBER_LENGTH = 64

/** Matches English, Russian and German months, and other words in dates and amounts. */
const NUMBER_WORDS = [
  'jan(uary|uar)?|feb(ruary|ruar)?|mar(ch|z)?|mär(z)?|apr(il)?|may|mai|june?|juni|july?|juli|aug(ust)?',
  'sept?(ember)?|o[ck]t(ober)?|nov(ember)?|de[cz](ember)?',
  'янв(ар[ья])?|фев(рал[ья])?|мар(та?)?|апр(ел[ья])?|ма[йя]|июн[ья]?|июл[ья]?|авг(уста?)?|сент?(ябр[ья])?',
  'окт(ябр[ья])?|нояб?(р[ья])?|дек(абр[ья])?',
  'am|pm|e|г|года?|р|руб|byn|rub|usd|eur',
].join('|')
const NUMBER_PATTERN = new RegExp(
  String.raw`^([\p{Nd}\s.,:;/'’()%$€£₽+−–-]|(?<!\p{L})(${NUMBER_WORDS})(?!\p{L}))+$`,
  'iu',
)

/** Returns true if a spreadsheet can convert the text to a number, an amount, a date or a time. */
export const isSpreadsheetConvertible = (text: string): boolean =>
  text.length <= MAX_NUMBER_LENGTH && /\p{Nd}/u.test(text) && NUMBER_PATTERN.test(text)
