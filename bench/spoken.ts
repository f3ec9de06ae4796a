import { execFileSync } from 'node:child_process'

/** What the recognizer hears, in samples a second. */
export const RATE = 16_000
const DIGITS = 'zero one two three four five six seven eight nine'.split(' ')
const TENTHS = 'tenth twentieth thirtieth fortieth fiftieth sixtieth seventieth eightieth ninetieth'.split(' ')
/** What the list of texts misspells: words of it that no prompt was heard as, looked through by eye. */
const MISSPELT: [RegExp, string][] = [
  [/\bumute\b/g, 'unmute'],
  [/\bexclaimation\b/g, 'exclamation'],
  [/\bfourtieth\b/g, 'fortieth'],
  [/\bindentified\b/g, 'identified'],
  [/\bwitheld\b/g, 'withheld'],
  [/\brepresenatives\b/g, 'representatives'],
]
/** Spellings that sound the same, so that only what was heard differently counts. */
const SAME: [RegExp, string][] = [
  [/www\.asterisk\.org/g, 'w w w dot asterisk dot org'],
  [/28\.8/g, 'twenty eight point eight'],
  [/\b([1-9])00\b/g, '$1 hundred'],
  ...TENTHS.map((word, n): [RegExp, string] => [new RegExp(`\\b${n + 1}0th\\b`, 'g'), word]),
  [/[*]/g, ' star '],
  [/#/g, ' pound '],
  [/\bvoice ?mail\b/g, 'voicemail'],
  [/\bmail ?box\b/g, 'mailbox'],
  [/\btouch[- ]?tone\b/g, 'touchtone'],
  [/\bkey ?pad\b/g, 'keypad'],
  [/\bkey ?words\b/g, 'keywords'],
  [/\bplay ?back\b/g, 'playback'],
  [/\bfile ?name\b/g, 'filename'],
  [/\bset ?up\b/g, 'setup'],
  [/\blog ?in\b/g, 'login'],
  [/\bthru\b/g, 'through'],
  [/'m\b/g, ' am'],
  [/'re\b/g, ' are'],
  [/'s\b/g, ' is'],
  [/\bok\b/g, 'okay'],
  [/\bpin number\b/g, 'pin number'],
]

/** The words of a text as they sound: lower case, digits spoken, no punctuation, none of the list's remarks in brackets. */
export function words(text: string): string[] {
  let plain = text
    .toLowerCase()
    .replaceAll('’', "'")
    .replace(/\([^)]*\)|\[[^\]]*\]|<[^>]*>/g, ' ')
  for (const [from, to] of [...MISSPELT, ...SAME]) plain = plain.replace(from, to)
  return plain
    .replace(/\d/g, (digit) => ` ${DIGITS[Number(digit)]} `)
    .replace(/[^a-z' ]/g, ' ')
    .split(' ')
    .filter(Boolean)
}

/** The sound of a file, as the recognizer hears it. */
export function decode(file: string): Int16Array {
  const pcm = execFileSync('ffmpeg', ['-v', 'error', '-i', file, '-ac', '1', '-ar', String(RATE), '-f', 's16le', '-'], {
    maxBuffer: 2 ** 30,
  })
  return new Int16Array(new Uint8Array(pcm).buffer)
}
