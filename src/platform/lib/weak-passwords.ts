import { isCommonPassword } from './common-passwords.ts'

/**
 * Returns why a password is easy to guess; undefined if it is not.
 * Compares the password with common passwords, the e-mail and its first part, and the name. Ignores case, and separators in
 * names.
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
