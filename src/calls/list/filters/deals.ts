import Type from 'typebox'
import { visibleDealsCondition } from '../../../people/managers/visibility.ts'
import { toConditions } from '../../../platform/lib/sql-conditions.ts'
import * as field from '../../../platform/http/field.ts'
import { defineRecordingFilter } from './filter.ts'

/** Selects the calls that certainly belong to a deal; none if the actor cannot see the deal. */
export const dealFilter = defineRecordingFilter(
  Type.Integer({
    minimum: 1,
    maximum: Number.MAX_SAFE_INTEGER,
    description: 'Only calls that certainly belong to the deal with this number in the CRM.',
  }),
  {
    where(value, { actor }) {
      const conditions = [...toConditions(['d.id = ?::bigint', value]), ...visibleDealsCondition(actor)]
      const calls = `
        SELECT l.recording_id FROM crm_call_deals l JOIN crm_deals d ON d.id = l.deal_id
         WHERE NOT l.ambiguous AND ${conditions.map(({ sql }) => sql).join(' AND ')}`
      return [{ sql: `r.id = ANY(ARRAY(${calls}))`, values: conditions.flatMap(({ values }) => values) }]
    },
  },
)

const HAS_DEAL_SQL = 'EXISTS (SELECT FROM crm_call_deals l WHERE l.recording_id = r.id AND NOT l.ambiguous)'

export const linkedToDealFilter = defineRecordingFilter(
  field.boolean('true: only calls that certainly belong to a deal of the CRM; false: only other calls.'),
  { where: (value) => [{ sql: value ? HAS_DEAL_SQL : `NOT ${HAS_DEAL_SQL}`, values: [] }] },
)
