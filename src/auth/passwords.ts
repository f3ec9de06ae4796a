import { hash, verify } from '@node-rs/argon2'
import { isCommonPassword } from './common-passwords.ts'

/** argon2id with 19 MiB, 2 passes, 1 lane: the first choice of the OWASP password storage cheat sheet. */
const OPTIONS = { memoryCost: 19_456, timeCost: 2, parallelism: 1 }

export const hashPassword = (password: string): Promise<string> => hash(password, OPTIONS)

/** Made at the start, not at the first login of nobody, which would take longer than others. */
const nobodysHash = hashPassword('nobody has this password')

/** Whether the password is right. Without a hash (nobody has that e-mail) it takes as long and answers no. */
export async function isPassword(storedHash: string | undefined, password: string): Promise<boolean> {
  const matches = await verify(storedHash ?? (await nobodysHash), password)
  return matches && storedHash !== undefined
}

/**
 * Why a person must not have a password that is long enough, to stand after the field's name; undefined: they may.
 * Case and spaces around it save no password from being guessed.
 */
export function passwordFault(password: string, { email, name }: { email: string; name: string }): string | undefined {
  const plain = (text: string) => text.normalize('NFKC').trim().toLowerCase()
  const given = plain(password)
  if (isCommonPassword(given)) return 'is one of the most common passwords: choose another'
  if ([email, email.split('@')[0]!].some((text) => plain(text) === given)) return 'must not be the e-mail'
  const squeezed = (text: string) => plain(text).replace(/[\s._-]+/g, '')
  if (squeezed(name) === squeezed(password)) return 'must not be the name'
  return undefined
}
