/** A text in both languages, or a function in each language that returns a text. */
export class Translation<T> {
  readonly en: T
  readonly ru: T

  constructor(en: T, ru: T) {
    this.en = en
    this.ru = ru
  }
}

/** Creates a translation. TypeScript rejects it if a language is missing or takes other arguments. */
export const text = <T>(en: T, ru: NoInfer<T>): Translation<T> => new Translation<T>(en, ru)

/** The argument types of a textTemplate(): one value for each `{}`. */
export type TemplateValues<Text extends string> = Text extends `${string}{}${infer Rest}`
  ? [string | number, ...TemplateValues<Rest>]
  : []

/** Creates a translation with gaps `{}`, which its arguments fill in order. */
export function template<Text extends string>(
  en: Text,
  ru: string,
): Translation<(...shown: TemplateValues<Text>) => string> {
  const fill =
    (text: string) =>
    (...shown: TemplateValues<Text>): string => {
      const values: (string | number)[] = [...shown]
      return text.replaceAll('{}', () => String(values.shift()))
    }
  return text(fill(en), fill(ru))
}

/** Translations by key, possibly nested. */
export interface Dictionary {
  readonly [name: string]: Translation<unknown> | Dictionary
}

/** Declares translations whose keys are not known at compile time, so a lookup can return undefined. */
export const defineWordMap = (words: Record<string, Translation<string>>): Record<string, Translation<string>> => words

/** The type of a dictionary in one language: each translation becomes its text or its function. */
export type Words<D> = D extends Translation<infer T> ? T : { [K in keyof D]: Words<D[K]> }

/** Selects one language of a dictionary, including nested groups. */
export function selectLanguage<D extends Dictionary>(dictionary: D, code: 'en' | 'ru'): Words<D> {
  const entries = Object.entries(dictionary).map(([name, entry]) => [
    name,
    entry instanceof Translation ? entry[code] : selectLanguage(entry, code),
  ])
  return Object.fromEntries(entries) as Words<D>
}
