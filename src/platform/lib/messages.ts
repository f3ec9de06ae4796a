/** A language of the interface. */
export type LanguageCode = 'en' | 'ru'

/** A text in both languages. */
export type Bilingual = Readonly<Record<LanguageCode, string>>

/** A code as a value of a placeholder: Russian texts show its name. */
export const toBilingual = (code: string, russianNames: Readonly<Record<string, string>>): Bilingual => ({
  en: code,
  ru: russianNames[code] ?? code,
})

/** A value of a placeholder, in the language of its message. */
export type MessageValue = string | number | Bilingual | Message
/** The values of a message's placeholders. */
export type MessageValues = Record<string, MessageValue>

/** Every message by id, in both languages. A feature adds its own from its messages.ts. */
export const messageTemplates = new Map<string, Bilingual>()

/** A message of the API. A value `field` without a placeholder is put before the text. */
export class Message {
  constructor(
    readonly id: string,
    readonly values: MessageValues = {},
  ) {}

  /** The English text, for logs and text columns. */
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

  /** The same about a field: `must not be empty` becomes `name must not be empty`. */
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

/** Makes a feature's messages from templates with `{placeholders}`. Their ids start with the feature's name. */
export function defineMessages<const T extends Record<string, Bilingual>>(
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
