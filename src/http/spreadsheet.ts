import Type from 'typebox'

/** Of each operation that answers CSV which people download. */
export const spreadsheetParameter = {
  spreadsheet: Type.Optional(
    Type.Boolean({
      description:
        'true: CSV for people. An apostrophe also stands before what a spreadsheet would change into a number or a date: ' +
        'text such as 80291234567, 00123, 1E5 or 2-3, and numbers with a fraction, which some languages read as a day and ' +
        'a month.',
    }),
  ),
}
