import { isCommonPassword } from './common-passwords.ts'

/**
 * Returns why a password is easy to guess; undefined if it is not.
 * Compares it with common passwords and the person's e-mail and name, regardless of case and separators.
 */
export function findPasswordWeakness(
  password: string,
  { email, name }: { email: string; name: string },
): 'common' | 'isEmail' | 'isName' | undefined {
  const normalizeText = (text: string) => text.normalize('NFKC').trim().toLowerCase()
  const normalizedPassword = normalizeText(password)
  if (isCommonPassword(normalizedPassword)) return 'common'
  if ([email, email.split('@')[0]!].some((text) => normalizeText(text) === normalizedPassword)) return 'isEmail'
  const stripSeparators = (text: string) => normalizeText(text).replace(/[\s._-]+/g, '')
  return stripSeparators(name) === stripSeparators(password) ? 'isName' : undefined
}
