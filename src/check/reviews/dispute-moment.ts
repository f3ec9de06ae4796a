import { splitWords } from '../rules/words.ts'

/** The words of a quote that a line must contain. Later ones can be in the next line, or can be quoted imprecisely. */
const COMPARED_WORDS = 4

/** Finds the time that a dispute names, such as 0:04 or 1:02:03. @returns seconds; undefined without one */
export function findNamedTime(dispute: string): number | undefined {
  const [, hours = '0', minutes, seconds] = /(?<!\d)(?:(\d{1,2}):)?(\d{1,2}):([0-5]\d)(?!\d)/.exec(dispute) ?? []
  return minutes === undefined ? undefined : Number(hours) * 3600 + Number(minutes) * 60 + Number(seconds)
}

/** Finds the text that a dispute quotes: “I will call you” or «перезвоню завтра». */
export const findQuotedText = (dispute: string): string | undefined => /["“„«]([^"“”„«»]{3,})["“”»]/.exec(dispute)?.[1]

/** Finds the first line that contains the beginning of a quote, in any case and punctuation. @returns the index; undefined without one */
export function findQuotedLine(quote: string, lines: string[]): number | undefined {
  const foldWords = (text: string) => Array.from(splitWords(text), ({ word }) => word)
  const searched = foldWords(quote).slice(0, COMPARED_WORDS).join(' ')
  const found = lines.findIndex((line) => ` ${foldWords(line).join(' ')} `.includes(` ${searched} `))
  return searched === '' || found < 0 ? undefined : found
}
