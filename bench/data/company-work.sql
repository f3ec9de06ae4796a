-- 200 people work together: comments, assignments, 50 views and 50 playlists of the owner, 200 notifications for each person.
INSERT INTO people (id, email, name, role, rights, password_hash)
SELECT gen_random_uuid(), 'person-' || n || '@bench.example', coalesce(m.name, 'Person ' || n),
       CASE WHEN n <= 100 THEN 'manager' WHEN n <= 190 THEN 'head' ELSE 'owner' END, '{"analytics": true, "editRules": true}', 'none'
  FROM generate_series(1, 199) n LEFT JOIN managers m ON m.crm_user_id = n::text;
INSERT INTO person_departments (person_id, department_id)
SELECT p.id, d.id FROM people p JOIN LATERAL (
  SELECT id FROM departments ORDER BY md5(id::text || p.id::text) LIMIT 1) d ON true WHERE p.role = 'head';

CREATE TEMP TABLE work_calls AS
SELECT row_number() OVER (ORDER BY id DESC) AS n, id FROM recordings WHERE status = 'DONE' ORDER BY id DESC LIMIT 20000;
CREATE TEMP TABLE work_people AS SELECT row_number() OVER (ORDER BY id) AS n, id FROM people;

-- The checked call of the benchmark has 100 comments.
INSERT INTO call_comments (id, recording_id, at_seconds, text, person_id)
SELECT gen_random_uuid(), :call::uuid, i, 'Comment ' || i, p.id FROM generate_series(1, 100) i JOIN work_people p ON p.n = 1 + i % 200
 UNION ALL
SELECT gen_random_uuid(), c.id, 5, 'Comment ' || c.n, p.id FROM work_calls c JOIN work_people p ON p.n = 1 + c.n % 200
 WHERE c.id <> :call::uuid;

INSERT INTO assignments (id, recording_id, person_id, creator_id, reason, at_seconds)
SELECT gen_random_uuid(), c.id, p.id, o.id, 'You agreed on no next step', 5
  FROM work_calls c JOIN work_people p ON p.n = 1 + c.n % 200, (SELECT id FROM people WHERE email = :email) o
 WHERE c.n <= 4000 AND p.id <> o.id;

INSERT INTO saved_views (id, person_id, name, filters)
SELECT gen_random_uuid(), o.id, 'View ' || n, jsonb_build_object('scoreBelow', n::text, 'sort', 'score', 'order', 'asc')
  FROM generate_series(1, 50) n, (SELECT id FROM people WHERE email = :email) o;
INSERT INTO playlists (id, person_id, name)
SELECT gen_random_uuid(), o.id, 'Playlist ' || n FROM generate_series(1, 50) n, (SELECT id FROM people WHERE email = :email) o;
INSERT INTO playlist_items (id, playlist_id, recording_id, at_seconds, note, person_id)
SELECT gen_random_uuid(), l.id, c.id, 5, 'A good answer', l.person_id
  FROM playlists l JOIN work_calls c ON c.n <= 100;

INSERT INTO notifications (id, person_id, kind, cause, recording_id, comment_id, actor_id, created_at)
SELECT gen_random_uuid(), p.id, 'comment', c.id, c.recording_id, c.id, c.person_id, now() - c.n * interval '1 minute'
  FROM work_people p
  JOIN (SELECT row_number() OVER (ORDER BY recording_id DESC) AS n, * FROM call_comments) c ON c.n % 100 = p.n % 100
 WHERE c.person_id <> p.id;
ANALYZE people, call_comments, assignments, saved_views, playlists, playlist_items, notifications;
