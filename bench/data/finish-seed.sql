SET maintenance_work_mem = '512MB';
DO $$
DECLARE
  statement text;
BEGIN
  FOR statement IN SELECT indexdef FROM bench.text_indexes LOOP
    EXECUTE statement;
  END LOOP;
END $$;
DROP SCHEMA bench CASCADE;
SELECT add_up_recording_counts();
