import { findPasswordWeakness } from '../../platform/lib/weak-passwords.ts'
import type { Language } from '../frame/i18n.ts'

/** The notice of a saved change, with a warning about a weak password, because any password is accepted. */
export function appendPasswordWarning(
  notice: string,
  password: string | undefined,
  person: { email: string; name: string },
  { words }: Language,
): string {
  const weakness = password && findPasswordWeakness(password, person)
  return weakness ? `${notice} ${words.people.weak[weakness]}` : notice
}
