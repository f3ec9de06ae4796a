import { integer, nullable, number, numberOrNull, object, text } from '../platform/http/field.ts'

export * from '../platform/http/field.ts'

/** The schema of a Ratio. */
export const ratio = (description: string) =>
  object(description, {
    value: numberOrNull('Numerator by denominator; null if the denominator is below 10.'),
    numerator: integer('The numerator.'),
    denominator: integer('The denominator.'),
  })

/** The schema of a mean or a median. */
export const mean = (description: string) =>
  object(description, {
    value: numberOrNull('The value; null for fewer than ten.'),
    count: integer('The number of values.'),
  })

/** The schema of an amount of money, or null. */
export const money = (description: string) =>
  nullable(object('An amount.', { amount: number('The amount.'), currency: text('The currency.') }), description)
