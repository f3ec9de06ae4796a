import { integer, nullable, number, numberOrNull, object, text } from '../platform/http/field.ts'

export * from '../platform/http/field.ts'

/** Builds the schema of a `Ratio`: value, numerator and denominator. */
export const ratio = (description: string) =>
  object(description, {
    value: numberOrNull('The numerator divided by the denominator, 0 to 1; null if the denominator is below 10.'),
    numerator: integer('The numerator.'),
    denominator: integer('The denominator.'),
  })

/** Builds the schema of a mean or a median: the value and the number of values. */
export const averageWithCount = (description: string) =>
  object(description, {
    value: numberOrNull('The value; null with fewer than ten values.'),
    count: integer('The number of values.'),
  })

/** Builds the schema of a mean that even one value has. */
export const meanForAnyCount = (description: string) =>
  object(description, {
    value: numberOrNull('The value; null without values.'),
    count: integer('The number of values.'),
  })

/** Builds the schema of an amount with its currency, or null. */
export const money = (description: string) =>
  nullable(
    object('An amount with its currency.', { amount: number('The amount.'), currency: text('The currency.') }),
    description,
  )
