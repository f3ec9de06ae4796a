/** Latin transliterations of Russian letters, for keys. */
const LATIN_LETTERS: Record<string, string> = Object.fromEntries(
  'а:a б:b в:v г:g д:d е:e ё:e ж:zh з:z и:i й:y к:k л:l м:m н:n о:o п:p р:r с:s т:t у:u ф:f х:h ц:ts ч:ch ш:sh щ:sch ъ: ы:y ь: э:e ю:yu я:ya'
    .split(' ')
    .map((pair) => pair.split(':') as [string, string]),
)

const MAX_KEY_LENGTH = 50
/** Limits the characters of a name that are converted, because a key is much shorter. */
const MAX_NAME_LENGTH = 200

/**
 * Formats a name as a key of lower-case Latin letters, digits and hyphens. @param fallback key if no letter remains @param number
 * appended from 2, for repeated names
 */
export function formatNameAsKey(name: string, fallback: string, number = 1): string {
  const latin = Array.from(
    name.slice(0, MAX_NAME_LENGTH).toLowerCase(),
    (letter) => LATIN_LETTERS[letter] ?? letter,
  ).join('')
  const key = latin
    .normalize('NFD')
    .replace(/\p{M}/gu, '')
    .replace(/[^a-z0-9]+/g, '-')
    .slice(0, MAX_KEY_LENGTH)
    .replace(/^-+|-+$/g, '')
  return number === 1 ? key || fallback : `${key || fallback}-${number}`
}
