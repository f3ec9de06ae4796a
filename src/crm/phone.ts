// The smaller sets of metadata assign 84951234567, a number of Moscow, to Belarus.
import { parsePhoneNumberFromString, type CountryCode } from 'libphonenumber-js/max'

/** Fewer digits are an extension or a short number; more are no number. */
const [MIN_DIGITS, MAX_DIGITS] = [7, 15]

/** Longest text that can be a phone number, in characters. */
const MAX_PHONE_TEXT_LENGTH = 100

/**
 * A phone number as E.164, for comparing whole numbers. Uses the country in the text, else the first of `countries` that knows
 * the number, else the bare digits. Null if it is no number.
 * @param countries for numbers without a country, in this order (CRM_PHONE_COUNTRIES)
 */
export function normalisePhone(text: string, countries: readonly string[]): string | null {
  if (text.length > MAX_PHONE_TEXT_LENGTH) return null
  const digits = text.replaceAll(/\D/g, '')
  if (digits.length < MIN_DIGITS || digits.length > MAX_DIGITS) return null
  const plain = text.trim().startsWith('+') ? `+${digits}` : digits.replace(/^00(?=[1-9])/, '+')
  const candidates = plain.startsWith('+') ? [undefined] : [...(countries as CountryCode[]), undefined]
  for (const country of candidates) {
    const parsed = parsePhoneNumberFromString(country || plain.startsWith('+') ? plain : `+${plain}`, country)
    if (parsed?.isValid()) return parsed.number
  }
  return `+${plain.replace('+', '')}`
}
