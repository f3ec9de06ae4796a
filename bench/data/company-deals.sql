-- Managers, departments, clients and deals of seedCompany(). Each client has two deals. Half of the deals close within two weeks; some take
-- months.
WITH given AS (SELECT name, n::text AS user_id, 1 + (n - 1) % 5 AS department
                 FROM unnest(:managers::text[]) WITH ORDINALITY AS m (name, n)),
made AS (INSERT INTO managers (name, crm_user_id) SELECT name, user_id FROM given RETURNING id, name, crm_user_id),
departments AS (
  INSERT INTO departments (id, name, funnels)
  SELECT uuidv7(), 'Department ' || n, ARRAY[n::bigint] FROM generate_series(1, 5) n RETURNING id, funnels[1] AS n),
users AS (INSERT INTO crm_users (id, name, active) SELECT user_id, name, true FROM given)
INSERT INTO crm_roster (user_id, department_id, manager_id)
SELECT g.user_id, d.id, m.id FROM given g JOIN made m ON m.crm_user_id = g.user_id JOIN departments d ON d.n = g.department;

CREATE SCHEMA bench;
INSERT INTO department_managers (name, department_id, crm_user_id)
SELECT m.name, r.department_id, r.user_id FROM crm_roster r JOIN managers m ON m.id = r.manager_id;
INSERT INTO crm_funnels (id, name) SELECT n, 'Funnel ' || n FROM generate_series(1, 5) n;
INSERT INTO crm_stages (funnel_id, id, name, outcome)
SELECT n, 'C' || n || ':' || code, name, outcome FROM generate_series(1, 5) n,
       (VALUES ('NEW', 'New', 'open'), ('TALK', 'Talks', 'open'), ('OFFER', 'Offer', 'open'), ('WON', 'Won', 'won'),
               ('LOSE', 'Lost', 'lost'), ('DEAR', 'Too dear', 'lost'), ('LATER', 'Not now', 'lost'), ('OTHER', 'Chose another', 'lost'))
       AS s (code, name, outcome);

SELECT setseed(0.5);
CREATE TABLE bench.deals AS
SELECT id, user_id, 1 + (user_id - 1) % 5 AS funnel, created,
       CASE WHEN created + length < now() THEN created + length END AS closed,
       CASE WHEN created + length < now() THEN CASE WHEN dice < 0.45 THEN 'won' ELSE 'lost' END ELSE 'open' END AS outcome,
       dice, 1 + (id - 1) / 2 AS contact
  FROM (SELECT id, 1 + id % 100 AS user_id, random() AS dice, now() - 400 * random() * interval '1 day' AS created,
               exp(2.6 + 0.8 * random_normal()) * interval '1 day' AS length
          FROM generate_series(1, :deals) id) d;
INSERT INTO crm_deals (id, title, funnel_id, stage_id, outcome, amount, currency, responsible_id, contact_ids, created_at,
                       updated_at, moved_at, closed_at, changed_at)
SELECT id, 'Deal ' || id, funnel,
       'C' || funnel || ':' || CASE outcome WHEN 'won' THEN 'WON' WHEN 'open' THEN (ARRAY['NEW', 'TALK', 'OFFER'])[1 + id % 3]
         ELSE (ARRAY['LOSE', 'DEAR', 'LATER', 'OTHER'])[1 + id % 4] END,
       outcome, round((100 * exp(3 * dice))::numeric, 2), CASE WHEN id % 5 = 0 THEN 'USD' ELSE 'BYN' END, user_id::text,
       ARRAY[contact], created, coalesce(closed, created), coalesce(closed, created), closed, coalesce(closed, created)
  FROM bench.deals ORDER BY id;
INSERT INTO crm_stage_history (id, deal_id, type, funnel_id, stage_id, outcome, moved_at)
SELECT 4 * d.id + step, d.id, least(2, step + 1), funnel, 'C' || funnel || ':' || (ARRAY['NEW', 'TALK', 'OFFER'])[1 + step],
       'open', created + (coalesce(closed, now()) - created) * step / 3
  FROM bench.deals d, generate_series(0, 2) step
 UNION ALL
SELECT 4 * d.id + 3, d.id, 3, d.funnel, c.stage_id, d.outcome, closed
  FROM bench.deals d JOIN crm_deals c ON c.id = d.id WHERE closed IS NOT NULL;
INSERT INTO crm_contacts (kind, id, due_at, read_at)
SELECT DISTINCT 'contact', contact, now() + interval '7 days', now() FROM bench.deals;
INSERT INTO crm_phones (kind, contact_id, phone)
SELECT 'contact', id, '+37529' || lpad(id::text, 7, '0') FROM crm_contacts;
CREATE INDEX ON bench.deals (id);
ANALYZE bench.deals;
