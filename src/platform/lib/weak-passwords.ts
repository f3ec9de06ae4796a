import { isCommonPassword } from './common-passwords.ts'

/** Why an allowed password is soon guessed: it is common, or the person's e-mail or name, in any case and spacing. */
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
