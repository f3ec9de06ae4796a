import Type, { type TProperties, type TSchema } from 'typebox'

/** The option of an object without other fields. */
export const NO_EXTRA_PROPERTIES = { additionalProperties: false }

/** An object without other fields. */
export function object<T extends TProperties>(properties: T): Type.TObject<T>
/** An object without further properties. The description is optional for inner objects. */
export function object<T extends TProperties>(description: string, properties: T): Type.TObject<T>
export function object<T extends TProperties>(first: string | T, properties?: T): Type.TObject<T> {
  if (typeof first !== 'string') return Type.Object(first, NO_EXTRA_PROPERTIES)
  return Type.Object(properties!, { ...NO_EXTRA_PROPERTIES, description: first })
}

/** The same, under a name of its own in the API description. */
export const namedObject = <T extends TProperties>(
  title: string,
  description: string,
  properties: T,
): Type.TObject<T> => Type.Object(properties, { ...NO_EXTRA_PROPERTIES, title, description })

/** The JSON body of a request, with an example. */
export const requestBody = <T extends TProperties>(example: object, properties: T): Type.TObject<T> =>
  Type.Object(properties, { ...NO_EXTRA_PROPERTIES, examples: [example] })

/** True or false. */
export const boolean = (description: string) => Type.Boolean({ description })
/** A whole number. */
export const integer = (description: string) => Type.Integer({ description })
/** A number. */
export const number = (description: string) => Type.Number({ description })
/** A text. */
export const text = (description: string) => Type.String({ description })
/** A UUID. */
export const id = (description: string) => Type.String({ format: 'uuid', description })
/** A day, as 2026-03-01. */
export const day = (description: string) => Type.String({ format: 'date', description })
/** A time in ISO 8601 with an offset. */
export const time = (description: string) => Type.String({ format: 'date-time', description })
/** A day or a time. */
export const dayOrTime = (description: string) => Type.String({ format: 'day-or-time', description })
/** A day or a time; without an offset it is in APP_TIMEZONE. */
export const dayOrLocalTime = (description: string) =>
  dayOrTime(`${description} ISO 8601, preferably with an offset; without one, or as a day alone, in APP_TIMEZONE.`)
/** A text of one line that is not empty. */
export const singleLine = (maxLength: number, description: string) =>
  Type.String({ minLength: 1, maxLength, format: 'line', description })
/** One of some values. */
export const oneOf = <const Values extends (string | number)[]>(values: readonly [...Values], description: string) =>
  Type.Enum(values, { description })
/** An array. */
export const list = <T extends TSchema>(items: T, description: string) => Type.Array(items, { description })

/** A value or null. */
export const nullable = <T extends TSchema>(schema: T, description: string) =>
  Type.Union([schema, Type.Null()], { description })
/** A whole number or null. */
export const integerOrNull = (description: string) => nullable(Type.Integer(), description)
/** A number or null. */
export const numberOrNull = (description: string) => nullable(Type.Number(), description)
/** A text or null. */
export const textOrNull = (description: string) => nullable(Type.String(), description)
/** A UUID or null. */
export const idOrNull = (description: string) => nullable(Type.String({ format: 'uuid' }), description)
/** A time in ISO 8601 or null. */
export const timeOrNull = (description: string) => nullable(Type.String({ format: 'date-time' }), description)
