import { randomInt } from 'node:crypto'

/** Letters and digits that nobody takes for one another when they are read out or copied by hand. */
const SIGNS = 'abcdefghjkmnpqrstuvwxyz23456789'

/** A password for somebody's first login, in groups that one reads out: about 79 bits. */
export function makePassword(): string {
  const group = () => Array.from({ length: 4 }, () => SIGNS[randomInt(SIGNS.length)]).join('')
  return Array.from({ length: 4 }, group).join('-')
}
