/**
 * SQL: when deal d ended, the start of its last unbroken run in closed stages. A later change of the loss reason does not move
 * it. Null if the last known stage is open, and without a history.
 */
export const START_OF_LAST_RUN = `(
  SELECT min(h.moved_at) FROM crm_stage_history h
   WHERE h.deal_id = d.id AND h.outcome <> 'open' AND NOT EXISTS (
     SELECT FROM crm_stage_history o
      WHERE o.deal_id = d.id AND o.outcome = 'open' AND (o.moved_at, o.id) > (h.moved_at, h.id)))`
