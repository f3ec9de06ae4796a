import Type from 'typebox'
import * as field from './field.ts'

/** Defines the query parameter `spreadsheet` of every operation that returns CSV. */
export const spreadsheetParameter = {
  spreadsheet: Type.Optional(
    field.boolean(
      'true: the CSV is for a spreadsheet. An apostrophe also precedes text that a spreadsheet would change into a ' +
        'number or a date, such as 80291234567, 00123, 1E5 or 2-3. In lists of calls, it also precedes numbers with a ' +
        'fraction, which spreadsheets in some languages read as a day and a month.',
    ),
  ),
}
