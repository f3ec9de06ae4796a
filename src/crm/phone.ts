// With smaller metadata sets, 84951234567 of Moscow would belong to Belarus.
import { parsePhoneNumberFromString, type CountryCode } from 'libphonenumber-js/max'

/** Fewer digits are an extension or a short number. More digits are no phone number (E.164). */
const [MIN_DIGITS, MAX_DIGITS] = [7, 15]

/** Longer texts are no phone numbers. */
const MAX_PHONE_TEXT_LENGTH = 100

/**
 * Normalizes a phone number to E.164, so that whole numbers can be compared. It uses the country code of the number, or else
 * the first of `countries` in which the number is valid, or else only its digits.
 * @param countries for numbers without a country code, in order of preference (CRM_PHONE_COUNTRIES)
 * @returns null if the text is no phone number
 */
export function normalisePhoneNumber(text: string, countries: readonly string[]): string | null {
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
