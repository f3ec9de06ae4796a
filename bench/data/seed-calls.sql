-- seedCalls() runs this file, then the functions of schema bench.
CREATE SCHEMA bench;
CREATE TABLE bench.phrases (language text, n integer, phrase text, PRIMARY KEY (language, n));

CREATE FUNCTION bench.make_phrases(language text, words text[], phrases integer, common integer) RETURNS void AS $$
DECLARE
  phrase text;
BEGIN
  FOR n IN 0 .. phrases - 1 LOOP
    phrase := words[ceil(exp(random() * ln(common)))];
    FOR i IN 1 .. 2 + floor(random() * 11) LOOP
      phrase := phrase || ' ' || words[ceil(exp(random() * ln(array_length(words, 1))))];
    END LOOP;
    INSERT INTO bench.phrases VALUES (language, n, phrase);
  END LOOP;
END $$ LANGUAGE plpgsql;

-- Calls with lower numbers are older, so that rows are inserted about in the order of their times.
CREATE FUNCTION bench.seed_recordings(first integer, last integer, total integer, managers text[]) RETURNS void AS $$
  INSERT INTO recordings (id, status, source, external_call_id, phone_number, manager_name, direction, call_started_at,
                          file_name, storage_key, size_bytes, duration_seconds, score, error_message,
                          created_at, started_at, finished_at, attempts)
  SELECT uuidv7(received - now()), status,
         CASE WHEN dice < 0.6 THEN 'crm' WHEN dice < 0.9 THEN 'upload' WHEN dice < 0.97 THEN 'url' ELSE 'inbox' END,
         CASE WHEN dice > 0.08 THEN 'pbx-' || n END,
         CASE WHEN dice < 0.97 THEN '+375' || (ARRAY['29', '33', '44', '25'])[1 + n % 4]
              || lpad((floor(exp(random() * ln(300000)))::bigint * 7919 % 10000000)::text, 7, '0') END,
         CASE WHEN dice < 0.95 THEN managers[ceil(exp(random() * ln(array_length(managers, 1) + 1)) - 0.5)] END,
         CASE WHEN dice < 0.99 THEN CASE WHEN random() < 0.55 THEN 'INBOUND' ELSE 'OUTBOUND' END END,
         CASE WHEN dice < 0.9 THEN called END,
         'call-' || n || '.mp3', 'seed/' || n, (seconds * 4000)::bigint, seconds,
         CASE WHEN status = 'DONE' AND random() < 0.7 THEN round((100 * sqrt(random()))::numeric, 1) END,
         CASE WHEN status = 'FAILED' THEN 'The recognizer did not answer' END,
         received, received + interval '2 s', received + interval '20 s', 1
    FROM (
      SELECT n, called, called + make_interval(secs => 60 + 600 * random() * random()) AS received, random() AS dice,
             CASE WHEN random() < 0.96 THEN 'DONE' WHEN random() < 0.6 THEN 'FAILED' ELSE 'CANCELLED' END AS status,
             round((10 + exp(3.2 + random() * 2.6))::numeric, 2) AS seconds
        FROM (
          SELECT n, date_trunc('day', now() - make_interval(days => 2 + 1460) * (1 - sqrt(n::float / total)))
                    + make_interval(secs => 6 * 3600 + 9 * 3600 * random()) - interval '1 day' AS called
            FROM generate_series(first, last - 1) n
        ) calls
    ) received
$$ LANGUAGE sql;

-- Creates transcripts in the temporary table seeded_texts: a number that no other call has, and phrases for at most 90 seconds.
CREATE FUNCTION bench.seed_transcripts(first integer, last integer) RETURNS void AS $$
DECLARE
  russian text[] := (SELECT array_agg(phrase ORDER BY n) FROM bench.phrases WHERE language = 'ru');
  english text[] := (SELECT array_agg(phrase ORDER BY n) FROM bench.phrases WHERE language = 'en');
  call record;
  phrase text;
  body text;
  segments text;
  is_russian boolean;
  at double precision;
  length double precision;
BEGIN
  FOR call IN SELECT id, created_at, duration_seconds AS seconds, split_part(storage_key, '/', 2) AS n FROM recordings
               WHERE status = 'DONE' AND storage_key IN (SELECT 'seed/' || n FROM generate_series(first, last - 1) n)
               ORDER BY created_at LOOP
    is_russian := random() < 0.7;
    at := 0.4;
    body := (CASE WHEN is_russian THEN 'добрый день номер ' ELSE 'good afternoon order ' END) || (1000000 + call.n::int);
    segments := format('[{"start":%s,"end":%s,"channel":0,"text":"%s"}', at, at + 2, body);
    LOOP
      at := round((at + 2.3)::numeric, 2);
      EXIT WHEN at > least(call.seconds, 90);
      phrase := CASE WHEN is_russian THEN russian[1 + floor(random() * 40000)] ELSE english[1 + floor(random() * 40000)] END;
      length := round((char_length(phrase) / 12.0)::numeric, 2);
      body := body || chr(10) || phrase;
      segments := segments || format(',{"start":%s,"end":%s,"channel":%s,"text":"%s"}', at, at + length, (random() < 0.5)::int, phrase);
      at := at + length;
    END LOOP;
    INSERT INTO seeded_texts (recording_id, text, model, decoder, language, segments, created_at)
    VALUES (call.id, body, 't-one', 'beam_search', CASE WHEN is_russian THEN 'ru' ELSE 'en' END, (segments || ']')::json, call.created_at);
  END LOOP;
END $$ LANGUAGE plpgsql;

-- Invents distinct words that sound like a language.
CREATE FUNCTION bench.invent_words(starts text[], middles text[], ends text[], count integer) RETURNS text[] AS $$
  SELECT array_agg(starts[1 + i / e % s] || middles[1 + i / (e * s) % m] || starts[1 + i / (e * s * m) % s]
                   || middles[1 + i / (e * s * m * s) % m] || ends[1 + i % e] ORDER BY i)
    FROM generate_series(0, count - 1) i,
         (SELECT array_length(starts, 1) AS s, array_length(middles, 1) AS m, array_length(ends, 1) AS e) lengths
$$ LANGUAGE sql;

-- One department has a single manager, one a tenth of them, one half.
CREATE FUNCTION bench.seed_departments(ids uuid[], managers text[]) RETURNS void AS $$
  INSERT INTO departments (id, name) SELECT ids[n], (ARRAY['single', 'tenth', 'half'])[n] FROM generate_series(1, 3) n;
  INSERT INTO department_managers (name, department_id)
  SELECT name, ids[CASE WHEN n = 1 THEN 1 WHEN n <= 1 + total / 10 THEN 2 ELSE 3 END]
    FROM (SELECT name, row_number() OVER (ORDER BY min(place)) AS n, count(*) OVER () AS total
            FROM (SELECT lower(trim(name)) AS name, place FROM unnest(managers) WITH ORDINALITY AS m (name, place)) m
           GROUP BY name) numbered
   WHERE n <= 1 + total / 10 + total / 2
$$ LANGUAGE sql;

-- Phrases of 3 to 13 words, from which transcripts are composed.
SELECT bench.make_phrases('ru', :russian::text[] || bench.invent_words(
  '{б,в,г,д,ж,з,к,л,м,н,п,р,с,т,ф,х,ц,ч,ш,пр,ст,гр,тр,кр}', '{а,е,и,о,у,я,ю}', '{лка,ние,тель,ность,вать,рый,ски,мо,рок,дан}',
  30000 - array_length(:russian::text[], 1)), 40000, array_length(:russian::text[], 1));
SELECT bench.make_phrases('en', :english::text[] || bench.invent_words(
  '{b,c,d,f,g,h,j,k,l,m,n,p,r,s,t,v,w,pr,st,gr,tr,sh,ch}', '{a,e,i,o,u,ea,oo}', '{ling,ter,ness,able,tion,ful,dy,lock,mer,ton}',
  30000 - array_length(:english::text[], 1)), 40000, array_length(:english::text[], 1));

-- Inserts the managers first, because two connections that insert them in different orders would block each other.
SELECT manager_named(name) FROM unnest(:managers::text[]) name;
