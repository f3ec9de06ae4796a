import { stringify } from 'csv-stringify/sync'

/**
 * Lines of RFC 4180. A cell that a spreadsheet would take for a formula gets an apostrophe before it, phone numbers
 * with their plus too: so they stay text, digit by digit, where a number would lose its plus and its last digits.
 */
export const csvLines = (lines: unknown[][], bom = false): string =>
  stringify(lines, { bom, escape_formulas: true, quoted_string: true, record_delimiter: 'windows' })
