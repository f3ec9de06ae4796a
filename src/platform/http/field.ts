import Type, { type Static, type TProperties, type TSchema } from 'typebox'

/** Postgres cannot store NUL. */
export const NO_NUL_PATTERN = '^[^\\u0000]*$'
/** The id of an object of the CRM is a positive 64-bit number. */
export const CRM_ID_PATTERN = '^[1-9][0-9]{0,17}$'

/** Makes an object schema reject unknown properties. */
export const NO_EXTRA_PROPERTIES = { additionalProperties: false }

/** Creates an inner object schema without a description. Unknown properties are violations. */
export function object<T extends TProperties>(properties: T): Type.TObject<T>
/** Creates an object schema with a description. Unknown properties are violations. */
export function object<T extends TProperties>(description: string, properties: T): Type.TObject<T>
export function object<T extends TProperties>(first: string | T, properties?: T): Type.TObject<T> {
  if (typeof first !== 'string') return Type.Object(first, NO_EXTRA_PROPERTIES)
  return Type.Object(properties!, { ...NO_EXTRA_PROPERTIES, description: first })
}

/** Creates an object schema that the API description publishes as a component under `title`. */
export const namedObject = <T extends TProperties>(
  title: string,
  description: string,
  properties: T,
): Type.TObject<T> => Type.Object(properties, { ...NO_EXTRA_PROPERTIES, title, description })

/** Creates the schema of a JSON request body with an example. Unknown properties are violations. */
export const requestBody = <T extends TProperties>(example: object, properties: T): Type.TObject<T> =>
  Type.Object(properties, { ...NO_EXTRA_PROPERTIES, examples: [example] })

/** Creates a boolean schema. In queries and forms, only the texts `true` and `false` are valid. */
export const boolean = (description: string) => Type.Boolean({ description })
/** Creates an integer schema. For limits, use Type.Integer. */
export const integer = (description: string) => Type.Integer({ description })
/** Creates a number schema. For limits, use Type.Number. */
export const number = (description: string) => Type.Number({ description })
/** Creates a string schema without limits. For a limited line of text, use singleLine(). */
export const text = (description: string) => Type.String({ description })
/** Creates a UUID schema. isUuid() validates it and, unlike ajv-formats, rejects the prefix urn:uuid:. */
export const id = (description: string) => Type.String({ format: 'uuid', description })
/** Creates a string schema for a day such as 2026-03-01 in a response. For requests, use dayOrTime(). */
export const day = (description: string) => Type.String({ format: 'date', description })
/** Creates a string schema for an ISO 8601 time. parseIsoTime() validates it. */
export const time = (description: string) => Type.String({ format: 'date-time', description })
/** Creates a string schema for a day or an ISO 8601 time. parseDayOrTime() validates it. */
export const dayOrTime = (description: string) => Type.String({ format: 'day-or-time', description })
/** Creates the schema of dayOrTime() and documents that values without an offset are in APP_TIMEZONE. */
export const dayOrLocalTime = (description: string) =>
  dayOrTime(
    `${description} ISO 8601, preferably with an offset. A time without an offset and a day alone are in APP_TIMEZONE.`,
  )
/** Creates a string schema for non-blank text on one line. @param maxLength limit in Unicode characters */
export const singleLine = (maxLength: number, description: string) =>
  Type.String({ minLength: 1, maxLength, format: 'line', description })
/** Creates an enum schema. The TypeScript type is the union of the values. */
export const oneOf = <const Values extends (string | number)[]>(values: readonly [...Values], description: string) =>
  Type.Enum(values, { description })
/** Creates an array schema. For limits, use Type.Array. */
export const list = <T extends TSchema>(items: T, description: string) => Type.Array(items, { description })

/**
 * Creates the schema of an object whose property names are arbitrary. Client generators support additionalProperties, but not the patternProperties
 * of Type.Record().
 */
export const map = <T extends TSchema>(values: T, description: string, limits: { maxProperties?: number } = {}) =>
  Type.Unsafe<Record<string, Static<T>>>({ type: 'object', additionalProperties: values, ...limits, description })

/** Creates a schema that also accepts null. */
export const nullable = <T extends TSchema>(schema: T, description: string) =>
  Type.Union([schema, Type.Null()], { description })
/** Creates an integer schema that also accepts null, for a figure that can be unknown. */
export const integerOrNull = (description: string) => nullable(Type.Integer(), description)
/** Creates a number schema that also accepts null, for a figure that can be unknown. */
export const numberOrNull = (description: string) => nullable(Type.Number(), description)
/** Creates a string schema that also accepts null, for a text that can be missing. */
export const textOrNull = (description: string) => nullable(Type.String(), description)
/** Creates a UUID schema that also accepts null, for a reference that can be missing. */
export const idOrNull = (description: string) => nullable(Type.String({ format: 'uuid' }), description)
/** Creates an ISO 8601 time schema that also accepts null, for an event that has not happened. */
export const timeOrNull = (description: string) => nullable(Type.String({ format: 'date-time' }), description)
