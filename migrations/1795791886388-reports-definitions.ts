import type { MigrationInterface, QueryRunner } from 'typeorm'

/** Deals are counted by their first closing, merged ones no longer, and objections by calls with a score. */
export class ReportsDefinitions1795791886388 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('SET LOCAL statement_timeout = 0')
    await runner.query(CHECKED_CALLS)
    await runner.query(ENDS)
    await runner.query(MERGED)
    await runner.query(CLIENTS)
  }

  async down(): Promise<void> {
    throw new Error('Migrations are not undone: the version before runs on this schema too.')
  }
}

const CHECKED_CALLS = `
  -- A call is checked if it has a score, as in every other figure; labels count in these calls alone.
  CREATE OR REPLACE FUNCTION calls_of_deals(deals bigint[])
  RETURNS TABLE (deal_id bigint, calls integer, is_checked boolean, said text[]) LANGUAGE sql STABLE BEGIN ATOMIC
    SELECT d.id, count(DISTINCT l.recording_id)::integer AS calls, coalesce(bool_or(a.id IS NOT NULL), false) AS is_checked,
           coalesce(array_agg(DISTINCT f.version_id || '/' || f.rule_key) FILTER (WHERE f.verdict = 'met'), '{}') AS said
      FROM crm_deals d
      LEFT JOIN crm_call_deals l ON l.deal_id = d.id AND NOT l.ambiguous AND l.call_at < coalesce(d.closed_at, 'infinity')
      LEFT JOIN analyses a ON a.recording_id = l.recording_id AND a.is_current AND a.status = 'DONE'
           AND a.provider IS DISTINCT FROM 'mock' AND a.score IS NOT NULL
      LEFT JOIN findings f ON f.analysis_id = a.id AND f.is_label
     WHERE d.id = ANY(deals) GROUP BY d.id;
  END;

  -- A decision of a person can give a check its first score, or take the last one away.
  CREATE TRIGGER analyses_changes_score AFTER UPDATE ON analyses
    FOR EACH ROW WHEN (NEW.is_current AND (OLD.score IS NULL) <> (NEW.score IS NULL)) EXECUTE FUNCTION analyses_changes();

  INSERT INTO crm_deal_call_changes (recording_id)
  SELECT recording_id FROM analyses WHERE is_current AND status = 'DONE' AND score IS NULL;
`

const ENDS = `
  -- Until now a move from one closed stage to another was taken for a new end.
  UPDATE crm_deals d SET closed_at = r.at, changed_at = now()
    FROM (SELECT h.deal_id, min(h.moved_at) AS at FROM crm_stage_history h
           WHERE h.outcome <> 'open' AND NOT EXISTS (
             SELECT FROM crm_stage_history o
              WHERE o.deal_id = h.deal_id AND o.outcome = 'open' AND (o.moved_at, o.id) > (h.moved_at, h.id))
           GROUP BY 1) r
   WHERE d.id = r.deal_id AND d.closed_at <> r.at;
`

const MERGED = `
  UPDATE crm_deals SET gone_at = now(), changed_at = now() WHERE merged_into IS NOT NULL AND gone_at IS NULL;
`

const CLIENTS = `
  -- Calls with a client whom the portal names.
  CREATE INDEX crm_calls_client ON crm_calls (entity_id, entity_type, started_at) WHERE entity_id IS NOT NULL;
`
