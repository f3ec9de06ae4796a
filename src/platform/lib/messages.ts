/** Names a language of the panel and of API messages. */
export type LanguageCode = 'en' | 'ru'

/** Contains a text in both languages. */
export type BilingualText = Readonly<Record<LanguageCode, string>>

/**
 * Makes a placeholder value from a code. English texts show the code, Russian texts its name.
 * @param russianNames names by code; unknown codes stay unchanged
 */
export const toBilingualCode = (code: string, russianNames: Readonly<Record<string, string>>): BilingualText => ({
  en: code,
  ru: russianNames[code] ?? code,
})

/** Fills a placeholder. Bilingual values and messages appear in the language of the outer message. */
export type MessageValue = string | number | BilingualText | Message
/** Maps the placeholder names of a message to their values. */
export type MessageValues = Record<string, MessageValue>

/** Contains the templates of all messages by id. defineMessages() fills it. */
export const messageTemplates = new Map<string, BilingualText>()

/** Represents a message of the API by id and values. A value `field` without a placeholder precedes the text. */
export class Message {
  constructor(
    readonly id: string,
    readonly values: MessageValues = {},
  ) {}

  /** English text, for logs and text columns. */
  get text(): string {
    return this.format('en')
  }

  format(language: LanguageCode): string {
    const template = messageTemplates.get(this.id)![language]
    const text = template.replace(/\{(\w+)\}/g, (_, name: string) => formatValue(this.values[name], language))
    const { field } = this.values
    if (field === undefined || template.includes('{field}')) return text
    return `${formatValue(field, language)}${language === 'ru' ? ':' : ''} ${text}`
  }

  /** Returns the message about a field: `must not be empty` becomes `name must not be empty`. */
  withField(field: string): Message {
    return new Message(this.id, { field, ...this.values })
  }

  toString(): string {
    return this.text
  }
}

function formatValue(value: MessageValue | undefined, language: LanguageCode): string {
  if (value instanceof Message) return value.format(language)
  return typeof value === 'object' ? value[language] : String(value)
}

type Placeholders<T extends string> = T extends `${string}{${infer Name}}${infer Rest}`
  ? Name | Placeholders<Rest>
  : never

type MessageFactory<T extends string> = [Placeholders<T>] extends [never]
  ? () => Message
  : (values: Record<Placeholders<T>, MessageValue> & MessageValues) => Message

/**
 * Defines the messages of a feature from templates with `{placeholders}`.
 * @returns a function per message that takes the placeholder values
 */
export function defineMessages<const T extends Record<string, BilingualText>>(
  feature: string,
  texts: T,
): { [Name in keyof T]: MessageFactory<T[Name]['en']> } {
  const factories = Object.entries(texts).map(([name, template]) => {
    const id = `${feature}.${name}`
    messageTemplates.set(id, template)
    return [name, (values?: MessageValues) => new Message(id, values)]
  })
  return Object.fromEntries(factories) as { [Name in keyof T]: MessageFactory<T[Name]['en']> }
}
