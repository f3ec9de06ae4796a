import { weaknessOf } from '../../platform/lib/weak-passwords.ts'
import type { Language } from '../frame/i18n.ts'

/** A notice that something was saved; of a password that is soon guessed it says so, for any password is taken. */
export function withWarning(
  notice: string,
  password: string | undefined,
  person: { email: string; name: string },
  { words }: Language,
): string {
  const weakness = password && weaknessOf(password, person)
  return weakness ? `${notice} ${words.people.weak[weakness]}` : notice
}
