import { hash, verify } from '@node-rs/argon2'

/** argon2id with 19 MiB, 2 passes, 1 lane: the first choice of the OWASP password storage cheat sheet. */
const ARGON2_OPTIONS = { memoryCost: 19_456, timeCost: 2, parallelism: 1 }

/** Hashes a password with Argon2id. */
export const hashPassword = (password: string): Promise<string> => hash(password, ARGON2_OPTIONS)

/** Hashed at start: hashing at the first login with an unknown e-mail would reveal it by the delay. */
const decoyHash = hashPassword('nobody has this password')

/** Whether the password is right. Without a hash (unknown e-mail) it takes as long and returns false. */
export async function verifyPassword(storedHash: string | undefined, password: string): Promise<boolean> {
  const matches = await verify(storedHash ?? (await decoyHash), password)
  return matches && storedHash !== undefined
}
