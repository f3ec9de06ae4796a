import { isCommonPassword } from './common-passwords.ts'

/**
 * Why a password that may be used is soon guessed: one of the most common, or the person's own e-mail or name. Case and
 * spaces around it save no password from that.
 */
export function weaknessOf(
  password: string,
  { email, name }: { email: string; name: string },
): 'common' | 'isEmail' | 'isName' | undefined {
  const plain = (text: string) => text.normalize('NFKC').trim().toLowerCase()
  const given = plain(password)
  if (isCommonPassword(given)) return 'common'
  if ([email, email.split('@')[0]!].some((text) => plain(text) === given)) return 'isEmail'
  const squeezed = (text: string) => plain(text).replace(/[\s._-]+/g, '')
  return squeezed(name) === squeezed(password) ? 'isName' : undefined
}
