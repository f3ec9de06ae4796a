import common from './common-passwords.json' with { type: 'json' }

/** Contains words from leaked passwords. Russian words also appear as typed on Latin keys. */
const COMMON_WORDS = new Set(common.words.split(' '))

/** Maps digits and signs to the letters that they replace in passwords. */
const LETTERS_BY_LOOKALIKE: Record<string, string> = {
  '0': 'o',
  '1': 'i',
  '3': 'e',
  '4': 'a',
  '5': 's',
  '@': 'a',
  $: 's',
}

/** Lists neighbouring keys of keyboards and phones, the alphabet, and alternating letters and digits. */
const KEY_SEQUENCES = [
  '012345678901234567890',
  'abcdefghijklmnopqrstuvwxyz',
  'qwertyuiop',
  'asdfghjkl;',
  'zxcvbnm',
  'йцукенгшщзхъ',
  'фывапролджэ',
  'ячсмитьбю',
  '1q2w3e4r5t6y7u8i9o0p',
  '1qaz2wsx3edc4rfv5tgb6yhn7ujm',
  'q1w2e3r4t5y6u7i8o9p0',
  'zaq12wsxcde34rfv',
  'qazwsxedcrfvtgbyhnujm',
  'a1b2c3d4e5f6g7h8',
  '1a2b3c4d5e6f7g8h',
  '!@#$%^&*()_+',
  '147258369',
  '159',
  '357',
]

/**
 * Returns true if attackers try the password early: common words, key sequences, repetitions, and combinations of them.
 * @param password in lower case
 */
export function isCommonPassword(password: string): boolean {
  return (
    isRepeated(password) ||
    isKeySequence(password) ||
    isCommonWord(password) ||
    isDoubledSequence(password) ||
    isCombination(password)
  )
}

/**
 * Matches 11111111, abcabcabc and 12121212: a repeated piece of at most four characters, common word or key sequence. Up to two
 * other characters can follow.
 */
function isRepeated(password: string): boolean {
  const piece = /^(.+?)\1+.{0,2}$/u.exec(password)?.[1]
  return piece !== undefined && (piece.length <= 4 || isCommonWord(piece) || isKeySequence(piece))
}

/** Matches 12345678, 87654321, qwertyuiop and 1q2w3e4r. */
function isKeySequence(password: string): boolean {
  const backwards = password.split('').toReversed().join('')
  return KEY_SEQUENCES.some((run) => run.includes(password) || run.includes(backwards))
}

/** Matches 11223344 and aabbccdd. */
const isDoubledSequence = (password: string): boolean =>
  /^(?:(.)\1)+$/u.test(password) && isKeySequence(password.replace(/(.)\1/gu, '$1'))

/**
 * Matches password, password1!, 1password and myp@ssw0rd2024: a common word, also after `my` or `the`, with at most six digits
 * and signs on either side.
 */
function isCommonWord(password: string): boolean {
  const stem = password.replace(/(?<=\p{L})\P{L}{1,6}$/u, '')
  const core = stem.replace(/^\P{L}{1,6}(?=\p{L})/u, '')
  return [password, stem, core].some((text) => isPlainWord(text) || isPlainWord(text.replace(/^(my|the)/, '')))
}

const isPlainWord = (text: string): boolean =>
  COMMON_WORDS.has(text) || COMMON_WORDS.has(text.replace(/[01345@$]/g, (sign) => LETTERS_BY_LOOKALIKE[sign]!))

/** Attackers do not try longer combinations early. */
const MAX_COMBINATION_LENGTH = 64
const MIN_PIECE_LENGTH = 3
const MAX_PIECE_LENGTH = 22

/**
 * Matches 1234qwer and a12345678: at least six characters of key sequences, repetitions and at most one common word, and at most
 * two other characters. Without other characters, two common words can match.
 */
function isCombination(password: string): boolean {
  if (password.length > MAX_COMBINATION_LENGTH) return false
  const words = new Set<string>()
  let otherCharacters = 0
  for (let at = 0; at < password.length;) {
    const piece = findLongestPiece(password, at)
    if (piece && isPlainWord(piece)) words.add(piece)
    if (!piece) otherCharacters++
    at += piece?.length ?? 1
  }
  return otherCharacters <= 2 && password.length - otherCharacters >= 6 && words.size <= (otherCharacters === 0 ? 2 : 1)
}

function findLongestPiece(password: string, at: number): string | undefined {
  for (let length = MAX_PIECE_LENGTH; length >= MIN_PIECE_LENGTH; length--) {
    const piece = password.slice(at, at + length)
    if (piece.length === length && (/^(.)\1+$/su.test(piece) || isKeySequence(piece) || isPlainWord(piece)))
      return piece
  }
  return undefined
}
