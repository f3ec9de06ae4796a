import type { Static } from 'typebox'
import type { Config } from '../../platform/config/config.ts'
import { badRequestError, HttpError } from '../../platform/errors.ts'
import { validateTextValues } from '../../platform/http/validation.ts'
import { Message } from '../../platform/lib/messages.ts'
import { ViewFiltersSchema } from './schema.ts'

/** Parses the filters of a view as the query of the list. @throws HttpError 400 with fields such as filters.scoreBelow */
export function parseViewFilters(config: Config, filters: Record<string, string>): Static<typeof ViewFiltersSchema> {
  try {
    return validateTextValues(ViewFiltersSchema, filters, config)
  } catch (error) {
    if (!(error instanceof HttpError)) throw error
    throw badRequestError([error.messages].flat().map(nameFilter))
  }
}

const nameFilter = ({ id, values }: Message): Message =>
  new Message(id, { ...values, field: `filters.${values.field as string}` })
