/** A word, a sentence, or a function that returns one, in both languages. */
export class Translation<T> {
  readonly en: T
  readonly ru: T

  constructor(en: T, ru: T) {
    this.en = en
    this.ru = ru
  }
}

/** A word in both languages; TypeScript rejects a missing one, or one with other arguments. */
export const text = <T>(en: T, ru: NoInfer<T>): Translation<T> => new Translation<T>(en, ru)

/** The values for the gaps `{}` of a text. */
export type TemplateValues<Text extends string> = Text extends `${string}{}${infer Rest}`
  ? [string | number, ...TemplateValues<Rest>]
  : []

/** A text with gaps `{}` in both languages; called with the values of the gaps, in order. */
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

/** Words by name, possibly in groups. */
export interface Dictionary {
  readonly [name: string]: Translation<unknown> | Dictionary
}

/** Words by name for look-ups that can fail. */
export const defineWordMap = (words: Record<string, Translation<string>>): Record<string, Translation<string>> => words

/** The words of a dictionary in one language. */
export type Words<D> = D extends Translation<infer T> ? T : { [K in keyof D]: Words<D[K]> }

/** Selects the words of one language from a dictionary. */
export function selectLanguage<D extends Dictionary>(dictionary: D, code: 'en' | 'ru'): Words<D> {
  const entries = Object.entries(dictionary).map(([name, entry]) => [
    name,
    entry instanceof Translation ? entry[code] : selectLanguage(entry, code),
  ])
  return Object.fromEntries(entries) as Words<D>
}
