import { Translation } from './translation.ts'

/** How a message of the API is said: a sentence, or what makes one of the message's values. */
export type Saying = string | ((values: Record<string, string>) => string)

/** How a feature says the messages of the API, by their ids. Where there is no English, it is the API's own. */
export type Sayings = Readonly<Record<string, Translation<Saying | undefined>>>

/** A word of the panel as a saying: it is given these values of the message. */
export const saying = (
  { en, ru }: Translation<(...shown: string[]) => string>,
  ...names: string[]
): Translation<(values: Record<string, string>) => string> => {
  const given = (values: Record<string, string>) => names.map((name) => values[name]!)
  return new Translation(
    (values) => en(...given(values)),
    (values) => ru(...given(values)),
  )
}

/** What English says as the API does. */
export const inRussian = (ru: Saying): Translation<Saying | undefined> =>
  new Translation<Saying | undefined>(undefined, ru)
