import { text, type TemplateValues, type Translation } from './translation.ts'

const englishPlurals = new Intl.PluralRules('en')
const russianPlurals = new Intl.PluralRules('ru')

/** The form of a word that English puts after a number. */
export const selectPluralEn = (n: number, one: string, other: string): string =>
  englishPlurals.select(n) === 'one' ? one : other

/** The form of a word that Russian puts after a number: 1 звонок, 2 звонка, 5 звонков. */
export function selectPluralRu(n: number, one: string, few: string, many: string): string {
  const rule = russianPlurals.select(n)
  return rule === 'one' ? one : rule === 'few' ? few : many
}

/**
 * A text with a number in both languages. Gaps `{}` are filled in their order; `{one|other}` is the form after the number,
 * in Russian `{one|few|many}`, or `{one|many}` for the genitive after «не больше».
 */
export function pluralTemplate<Text extends string>(
  en: Text,
  ru: string,
): Translation<(n: number, ...shown: TemplateValues<Text>) => string> {
  const fill =
    (text: string, form: (n: number, forms: string[]) => string) =>
    (n: number, ...shown: TemplateValues<Text>): string => {
      const values: (string | number)[] = [...shown]
      return text.replace(/\{([^{}]*)\}/g, (_, forms: string) =>
        forms === '' ? String(values.shift()) : form(n, forms.split('|')),
      )
    }
  return text(
    fill(en, (n, [one, other]) => selectPluralEn(n, one!, other!)),
    fill(ru, (n, [one, few, many = few]) => selectPluralRu(n, one!, few!, many!)),
  )
}

const ordinals = new Intl.PluralRules('en', { type: 'ordinal' })
const ORDINAL_ENDINGS: Partial<Record<Intl.LDMLPluralRule, string>> = { one: 'st', two: 'nd', few: 'rd' }

/** 1st, 2nd, 3rd … */
export const formatOrdinalEn = (n: number): string => `${n}${ORDINAL_ENDINGS[ordinals.select(n)] ?? 'th'}`

function formatRoughTime(seconds: number, [s, min, h]: [string, string, string]): string {
  if (seconds < 90) return `${Math.max(1, Math.round(seconds))} ${s}`
  const minutes = Math.round(seconds / 60)
  return minutes < 90 ? `${minutes} ${min}` : `${Math.round(minutes / 60)} ${h}`
}

/** An estimate of a time, in words. */
export const formatEstimateEn = (seconds: number): string => `about ${formatRoughTime(seconds, ['s', 'min', 'h'])}`
export const formatEstimateRu = (seconds: number): string => `около ${formatRoughTimeRu(seconds)}`
/** The same in a sentence that already has «примерно»: примерно через 20 с. */
export const formatRoughTimeRu = (seconds: number): string => formatRoughTime(seconds, ['с', 'мин', 'ч'])

/** Hours and minutes of audio, in words. */
function formatAudioLength(seconds: number, h: string, min: string, shown: (n: number) => string): string {
  const minutes = Math.round(seconds / 60)
  return minutes < 60 ? `${minutes} ${min}` : `${shown(Math.floor(minutes / 60))} ${h} ${minutes % 60} ${min}`
}
export const formatAudioLengthEn = (seconds: number): string =>
  formatAudioLength(seconds, 'h', 'min', (n) => numbersEn.format(n))
export const formatAudioLengthRu = (seconds: number): string =>
  formatAudioLength(seconds, 'ч', 'мин', (n) => numbersRu.format(n))
const numbersEn = new Intl.NumberFormat('en-GB')
const numbersRu = new Intl.NumberFormat('ru-RU')

/** The waiting time, as a sentence. */
export const retryInSecondsText = text(
  (n: number, shown: string) => `Try again in ${shown} ${selectPluralEn(n, 'second', 'seconds')}.`,
  (n, shown) => `Повторите через ${shown} ${selectPluralRu(n, 'секунду', 'секунды', 'секунд')}.`,
)

function formatDuration(seconds: number, [s, min, h]: [string, string, string]): string {
  if (seconds < 90) return `${Math.round(seconds)} ${s}`
  const minutes = Math.round(seconds / 60)
  if (minutes < 60) return `${minutes} ${min}`
  return minutes % 60 ? `${Math.floor(minutes / 60)} ${h} ${minutes % 60} ${min}` : `${minutes / 60} ${h}`
}

/** A duration in words: 50 s, 12 min, 3 h 5 min. */
export const formatDurationEn = (seconds: number): string => formatDuration(seconds, ['s', 'min', 'h'])
export const formatDurationRu = (seconds: number): string => formatDuration(seconds, ['с', 'мин', 'ч'])
