/** What stands in a placeholder; a message in another message is said with it. */
export type Value = string | number | Message
export type Values = Record<string, Value>

/** The English of every message, by id. A feature fills it from its messages.ts. */
export const templates = new Map<string, string>()

/**
 * A sentence of the API: English made from a template, and the id and values by which other languages say it. A value
 * `field` that has no placeholder stands before it.
 */
export class Message {
  readonly id: string
  readonly values: Values

  constructor(id: string, values: Values = {}) {
    this.id = id
    this.values = values
  }

  /** It in English. */
  get text(): string {
    const template = templates.get(this.id)!
    const said = template.replace(/\{(\w+)\}/g, (_, name: string) => textOf(this.values[name]))
    const { field } = this.values
    return field === undefined || template.includes('{field}') ? said : `${textOf(field)} ${said}`
  }

  /** The same, said of a field: `must not be empty` becomes `name must not be empty`. */
  about(field: string): Message {
    return new Message(this.id, { field, ...this.values })
  }

  toString(): string {
    return this.text
  }
}

const textOf = (value: Value | undefined): string => (value instanceof Message ? value.text : String(value))

type Placeholders<T extends string> = T extends `${string}{${infer Name}}${infer Rest}`
  ? Name | Placeholders<Rest>
  : never

type Maker<T extends string> = [Placeholders<T>] extends [never]
  ? () => Message
  : (values: Record<Placeholders<T>, Value> & Values) => Message

/** Makes a feature's messages from their templates; `{name}` is a placeholder. Ids begin with the feature's name. */
export function defineMessages<const T extends Record<string, string>>(
  feature: string,
  english: T,
): { [Name in keyof T]: Maker<T[Name]> } {
  const makers = Object.entries(english).map(([name, template]) => {
    const id = `${feature}.${name}`
    templates.set(id, template)
    return [name, (values?: Values) => new Message(id, values)]
  })
  return Object.fromEntries(makers) as { [Name in keyof T]: Maker<T[Name]> }
}
