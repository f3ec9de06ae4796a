/** Measures which pairs of text and query the search finds, the cost of indexing, and lists during a reindexing. */
import { setTimeout as pause } from 'node:timers/promises'
import searchPairs from '../src/test/search-pairs.json' with { type: 'json' }
import { formatTsquery, parseSearchQuery } from '../src/platform/lib/search/query.ts'
import { buildTsvector } from '../src/platform/lib/search/terms.ts'
import { connectToDatabase, makeLongDialogue, seedCalls } from './database.ts'
import { computeMedian, measureCpuMs, readStackCpuSeconds, startStack, measureMs, measureRequestsInTurns, reportFigure, type BenchStack } from './support.ts' // prettier-ignore

const WORDS_PER_CALL = 6000
const ROUNDS = 20
const LIST_COUNT = 200
const LIST_PAUSE_MS = 50
/** With this time per text, one core indexes 1,000,000 texts in three hours. */
const MAX_TEXT_MS = 10.8

const matchingPairs = searchPairs.groups.flatMap(({ pairs }) => pairs)
const allPairs = [...matchingPairs, ...searchPairs.mustNotMatch]
const stack = await startStack({ API_RUN_MODE: 'all' })
await compareSearches(stack)
await measureIndexing()
await measureReindexing(stack, Number(process.argv[3] ?? 20_000))
process.exit()

/**
 * Prints recall and precision of three searches: stems as in the commit 7b1c933, stems with the current tokens, and the current search.
 */
async function compareSearches({ config }: BenchStack): Promise<void> {
  const client = await connectToDatabase(config.DATABASE_URL)
  const spaced = (text: string) => text.replace(/(?<=\S)-(?=\S)|[./:@,_]/g, ' ')
  const terms = await Promise.all(allPairs.map(([text]) => buildTsvector(text!)))
  const queries = await Promise.all(allPairs.map(async ([, q]) => formatTsquery((await parseSearchQuery(q!))!.root)))
  const matchByStems = `SELECT to_tsvector('svc_search', translate(t, 'ёЁ', 'еЕ')) @@ q.whole
                          OR q.last <> '' AND to_tsvector('svc_search', translate(t, 'ёЁ', 'еЕ')) @@ (q.rest && (q.last || ':*')::tsquery) AS found
                     FROM unnest($1::text[], $2::text[]) WITH ORDINALITY AS pair (t, q, n), LATERAL (
                       SELECT websearch_to_tsquery('svc_search', translate(q, 'ёЁ', 'еЕ')) AS whole,
                              websearch_to_tsquery('svc_search', translate(regexp_replace(q, '\\S+$', ''), 'ёЁ', 'еЕ')) AS rest,
                              coalesce(translate(lower(substring(q FROM '(?:^|\\s)(\\w{3,})$')), 'ё', 'е'), '') AS last) q ORDER BY n`
  const matchByTerms =
    'SELECT t::tsvector @@ q::tsquery AS found FROM unnest($1::text[], $2::text[]) WITH ORDINALITY AS pair (t, q, n) ORDER BY n'
  for (const [name, sql, texts, asked] of [
    ['7b1c933', matchByStems, allPairs.map(([text]) => text), allPairs.map(([, q]) => q)],
    ['stems alone', matchByStems, allPairs.map(([text]) => spaced(text!)), allPairs.map(([, q]) => spaced(q!))],
    ['dictionary forms', matchByTerms, terms, queries],
  ] as const) {
    const found = (await client.query<{ found: boolean }>(sql, [texts, asked])).rows.map((row) => row.found)
    const right = found.slice(0, matchingPairs.length).filter(Boolean).length
    const wrong = found.slice(matchingPairs.length).filter(Boolean).length
    console.log(`${name}: recall ${((100 * right) / matchingPairs.length).toFixed(1)} %, precision ${((100 * right) / (right + wrong)).toFixed(1)} %`) // prettier-ignore
  }
  await client.end()
}

async function measureIndexing(): Promise<void> {
  const costs: number[] = []
  for (let round = 0; round < ROUNDS; round++) {
    const text = makeLongDialogue(WORDS_PER_CALL, 10 * round).segments.map((segment) => segment.text).join('\n') // prettier-ignore
    costs.push(await measureCpuMs(() => buildTsvector(text)))
  }
  reportFigure(
    `indexing a text of ${WORDS_PER_CALL} words, processor time`,
    computeMedian(costs),
    { atMost: 50 },
    ' ms',
  )
}

/** Measures reindexing: the processor time of API and Postgres, and the latency of the first page during it. */
async function measureReindexing(stack: BenchStack, calls: number): Promise<void> {
  const { config, headers } = stack
  await seedCalls(config.DATABASE_URL, calls, { indexed: false })
  const list = async () => (await fetch(`${config.apiUrl}/v1/recordings`, { headers })).arrayBuffer()
  const isDone = async () =>
    ((await (await fetch(`${config.apiUrl}/v1/system`, { headers })).json()) as { search: unknown }).search === null
  await stack.startApi()
  const before = readStackCpuSeconds(stack)
  const meanwhile: number[] = []
  while (!(await isDone())) {
    meanwhile.push(await measureMs(list))
    await pause(LIST_PAUSE_MS)
  }
  const ms = (1000 * (readStackCpuSeconds(stack) - before)) / calls
  const { quiet } = await measureRequestsInTurns({ quiet: list }, LIST_PAUSE_MS, (round) => round < LIST_COUNT)
  reportFigure('reindexing a text, processor time', ms, { atMost: MAX_TEXT_MS }, ' ms')
  reportFigure(
    'a list while texts are reindexed, against a quiet one',
    computeMedian(meanwhile) / computeMedian(quiet),
    {
      atMost: 1.5,
    },
  )
}
