import { isCommonPassword } from './common-passwords.ts'

/** Why an allowed password is soon guessed: it is common, or the person's e-mail or name, in any case and spacing. */
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
