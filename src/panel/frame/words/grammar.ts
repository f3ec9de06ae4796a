import { text, type TemplateArguments, type Translation } from './translation.ts'

const englishPlurals = new Intl.PluralRules('en')
const russianPlurals = new Intl.PluralRules('ru')

/** Returns the English form of a noun after the number `n`. */
export const selectPluralEn = (n: number, one: string, other: string): string =>
  englishPlurals.select(n) === 'one' ? one : other

/** Returns the Russian form of a noun after the number `n`: 1 звонок, 2 звонка, 5 звонков. */
export function selectPluralRu(n: number, one: string, few: string, many: string): string {
  const rule = russianPlurals.select(n)
  return rule === 'one' ? one : rule === 'few' ? few : many
}

/**
 * Creates a translation whose first argument `n` selects plural forms. The other arguments fill the gaps `{}` in order.
 * `{one|other}` gives the English forms and `{one|few|many}` the Russian ones. `{one|many}` fits the genitive, as after «не
 * больше».
 */
export function pluralTemplate<Text extends string>(
  en: Text,
  ru: string,
): Translation<(n: number, ...shown: TemplateArguments<Text>) => string> {
  const fill =
    (text: string, form: (n: number, forms: string[]) => string) =>
    (n: number, ...shown: TemplateArguments<Text>): string => {
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

/** Formats an English ordinal: 1st, 2nd, 3rd. */
export const formatOrdinalEn = (n: number): string => `${n}${ORDINAL_ENDINGS[ordinals.select(n)] ?? 'th'}`

function formatRoughTime(seconds: number, [s, min, h]: [string, string, string]): string {
  if (seconds < 90) return `${Math.max(1, Math.round(seconds))} ${s}`
  const minutes = Math.round(seconds / 60)
  return minutes < 90 ? `${minutes} ${min}` : `${Math.round(minutes / 60)} ${h}`
}

/** Formats estimated seconds in English, such as `about 3 min`. */
export const formatTimeEstimateEn = (seconds: number): string => `about ${formatRoughTime(seconds, ['s', 'min', 'h'])}`
/** Formats estimated seconds in Russian, such as `около 3 мин`. */
export const formatTimeEstimateRu = (seconds: number): string => `около ${formatRoughTimeRu(seconds)}`
/** Formats seconds for a sentence that already contains «примерно», such as `20 с`. */
export const formatRoughTimeRu = (seconds: number): string => formatRoughTime(seconds, ['с', 'мин', 'ч'])

function formatAudioLength(
  seconds: number,
  [h, min, short]: [string, string, string],
  shown: (n: number) => string,
): string {
  const minutes = Math.round(seconds / 60)
  if (minutes === 0 && seconds > 0) return short
  return minutes < 60 ? `${minutes} ${min}` : `${shown(Math.floor(minutes / 60))} ${h} ${minutes % 60} ${min}`
}
/** Formats audio seconds in English, such as `45 min` or `3 h 5 min`. */
export const formatAudioLengthEn = (seconds: number): string =>
  formatAudioLength(seconds, ['h', 'min', 'less than 1 min'], (n) => numbersEn.format(n))
/** Formats audio seconds in Russian, such as `45 мин` or `3 ч 5 мин`. */
export const formatAudioLengthRu = (seconds: number): string =>
  formatAudioLength(seconds, ['ч', 'мин', 'меньше минуты'], (n) => numbersRu.format(n))
const numbersEn = new Intl.NumberFormat('en-GB')
const numbersRu = new Intl.NumberFormat('ru-RU')

/** A sentence about the waiting time before a retry. @param n seconds, `shown` in the person's number format */
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

/** Formats seconds in English, such as `50 s`, `12 min` or `3 h 5 min`. */
export const formatDurationEn = (seconds: number): string => formatDuration(seconds, ['s', 'min', 'h'])
/** Formats seconds in Russian, such as `50 с`, `12 мин` or `3 ч 5 мин`. */
export const formatDurationRu = (seconds: number): string => formatDuration(seconds, ['с', 'мин', 'ч'])
