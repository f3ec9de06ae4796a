import { findPasswordWeakness } from '../../platform/lib/weak-passwords.ts'
import type { Language } from '../frame/i18n.ts'

/** Appends a warning to the notice if the password is weak. The API accepts weak passwords. */
export function appendWeakPasswordWarning(
  notice: string,
  password: string | undefined,
  person: { email: string; name: string },
  { words }: Language,
): string {
  const weakness = password && findPasswordWeakness(password, person)
  return weakness ? `${notice} ${words.people.weak[weakness]}` : notice
}
