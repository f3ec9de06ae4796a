import { hash, verify } from '@node-rs/argon2'

/** The first choice of the OWASP password storage cheat sheet: argon2id with 19 MiB, 2 passes and 1 lane. */
const ARGON2_OPTIONS = { memoryCost: 19_456, timeCost: 2, parallelism: 1 }

/** Hashes a password with argon2id. @returns the hash with its parameters in PHC string format */
export const hashPassword = (password: string): Promise<string> => hash(password, ARGON2_OPTIONS)

/** Compute the decoy hash at start. Otherwise the delay of the first login reveals that its e-mail is unknown. */
const decoyHash = hashPassword('nobody has this password')

/** Returns true if the password matches the hash. Without a hash (unknown e-mail), takes equally long and returns false. */
export async function verifyPassword(storedHash: string | undefined, password: string): Promise<boolean> {
  const matches = await verify(storedHash ?? (await decoyHash), password)
  return matches && storedHash !== undefined
}
