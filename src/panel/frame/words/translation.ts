/** A text in both languages, or a function in each language that returns a text. */
export class Translation<T> {
  readonly en: T
  readonly ru: T

  constructor(en: T, ru: T) {
    this.en = en
    this.ru = ru
  }
}

/** Creates a translation. The types require both languages, with the same arguments. */
export const text = <T>(en: T, ru: NoInfer<T>): Translation<T> => new Translation<T>(en, ru)

/** The argument types of a textTemplate(): one value for each `{}`. */
export type TemplateArguments<Text extends string> = Text extends `${string}{}${infer Rest}`
  ? [string | number, ...TemplateArguments<Rest>]
  : []

/** Creates a translation with gaps `{}`, which its arguments fill in order. */
export function textTemplate<Text extends string>(
  en: Text,
  ru: string,
): Translation<(...shown: TemplateArguments<Text>) => string> {
  const fill =
    (text: string) =>
    (...shown: TemplateArguments<Text>): string => {
      const values: (string | number)[] = [...shown]
      return text.replaceAll('{}', () => String(values.shift()))
    }
  return text(fill(en), fill(ru))
}

/** Translations by key, possibly nested. */
export interface TranslationDictionary {
  readonly [name: string]: Translation<unknown> | TranslationDictionary
}

/** Declares translations whose keys are not known at compile time, so a lookup can return undefined. */
export const defineWordMap = (words: Record<string, Translation<string>>): Record<string, Translation<string>> => words

/** The type of a dictionary in one language: each translation becomes its text or its function. */
export type TranslatedWords<D> = D extends Translation<infer T> ? T : { [K in keyof D]: TranslatedWords<D[K]> }

/** Selects one language of a dictionary, including nested groups. */
export function selectDictionaryLanguage<D extends TranslationDictionary>(
  dictionary: D,
  code: 'en' | 'ru',
): TranslatedWords<D> {
  const entries = Object.entries(dictionary).map(([name, entry]) => [
    name,
    entry instanceof Translation ? entry[code] : selectDictionaryLanguage(entry, code),
  ])
  return Object.fromEntries(entries) as TranslatedWords<D>
}
