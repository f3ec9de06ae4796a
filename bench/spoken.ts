import { execFileSync } from 'node:child_process'

/** What the recognizer hears, in samples a second. */
export const RATE = 16_000
const DIGITS = 'zero one two three four five six seven eight nine'.split(' ')
/** Spellings that sound the same, so that only what was heard differently counts. */
const SAME: [RegExp, string][] = [
  [/www\.asterisk\.org/g, 'w w w dot asterisk dot org'],
  [/28\.8/g, 'twenty eight point eight'],
  [/\b([1-9])00\b/g, '$1 hundred'],
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
  [/\bi'm\b/g, 'i am'],
  [/\bok\b/g, 'okay'],
  [/\bpin number\b/g, 'pin number'],
]

/** The words of a text as they sound: lower case, digits spoken, no punctuation. */
export function words(text: string): string[] {
  let plain = text.toLowerCase().replaceAll('’', "'")
  for (const [from, to] of SAME) plain = plain.replace(from, to)
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
