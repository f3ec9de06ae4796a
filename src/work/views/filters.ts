import type { Static } from 'typebox'
import { countRecordingSelection } from '../../calls/list/counts.ts'
import { createRecordingSelection } from '../../calls/list/create-selection.ts'
import type { Config } from '../../platform/config/config.ts'
import type { Core } from '../../platform/core.ts'
import type { Sql } from '../../platform/db/sql.ts'
import { badRequestError, HttpError } from '../../platform/errors.ts'
import type { PersonActor } from '../../platform/http/actor.ts'
import { validateTextValues } from '../../platform/http/validation.ts'
import { Message, toBilingualCode } from '../../platform/lib/messages.ts'
import { viewMessages } from './messages.ts'
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

/** The filters that name people, customers or calls, with the separator of their values. */
const NAMING_FILTERS = { manager: '|', phone: undefined, externalCallId: undefined, deal: undefined, ids: ',' } as const
const RUSSIAN_FILTER_NAMES = {
  manager: 'менеджер',
  phone: 'телефон',
  externalCallId: 'id звонка',
  deal: 'сделка',
  ids: 'звонки',
}
const WITHOUT_MANAGER = '""'

/**
 * Requires that each manager, phone number, deal and call in the filters matches a call of the department that the actor sees.
 * Otherwise, a shared view would show its readers names and numbers outside their access.
 * @throws HttpError 400 on departmentId
 */
export async function requireFiltersOfDepartment(
  core: Core,
  sql: Sql,
  actor: PersonActor,
  { filters, departmentId }: { filters: Record<string, string>; departmentId?: string | null | undefined },
): Promise<void> {
  if (!departmentId) return
  for (const [name, separator] of Object.entries(NAMING_FILTERS)) {
    const text = filters[name] ?? ''
    const values = separator ? text.split(separator) : [text]
    for (const value of values.filter((one) => one.trim() && one.trim() !== WITHOUT_MANAGER)) {
      const query = parseViewFilters(core.config, { [name]: value, department: departmentId })
      const selection = await createRecordingSelection(core, sql, actor, query, { transcripts: false })
      if ((await countRecordingSelection(sql, selection)) > 0) continue
      const filter = toBilingualCode(name, RUSSIAN_FILTER_NAMES)
      throw badRequestError([viewMessages.otherCalls({ filter }).withField('departmentId')])
    }
  }
}
