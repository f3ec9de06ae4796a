import { departments } from './seed.ts'
import { managers } from './words.ts'

/** A kind of request: its addresses in turn, and what must hold for it. */
export interface Case {
  name: string
  paths: string[]
  /** Also run the statements of the API in psql: the median must be within 1.5 × theirs + 5 ms. */
  bare?: boolean
  /** Bound of the 95th percentile in ms. */
  p95: number
  /** The median must be within so many times that of this case. */
  within?: [times: number, of: string]
}

const encode = encodeURIComponent
const day = (daysAgo: number) => new Date(Date.now() - daysAgo * 86_400_000).toISOString()

/** What is promised, for a database of `rows` calls. */
export function casesFor(rows: number): Case[] {
  const list = (name: string, ...filters: string[]): Case => ({
    name,
    paths: filters.map((filter) => `/v1/recordings?${filter}`),
    bare: true,
    p95: 200,
  })
  const search = (name: string, ...questions: string[]): Case => ({
    name: `q: ${name}`,
    paths: questions.map((q) => `/v1/recordings?q=${encode(q)}`),
    p95: 500,
  })
  const deep = Math.min(1001, Math.floor((rows * 0.9) / 25))
  return [
    list('first page', ''),
    { ...list(`page ${deep}`, `page=${deep}`), within: [3, 'first page'] },
    list('status', 'status=DONE', 'status=FAILED', 'status=FAILED,CANCELLED', 'status=QUEUED'),
    list('source', 'source=crm', 'source=upload,url', 'source=storage'),
    list('direction', 'direction=INBOUND', 'direction=OUTBOUND'),
    list('dateFrom', ...[1, 30, 365, 1200].map((days) => `dateFrom=${day(days)}`)),
    list('dateTo', ...[1, 30, 365, 1200].map((days) => `dateTo=${day(days)}`)),
    list('createdFrom', ...[1, 30, 365, 1200].map((days) => `createdFrom=${day(days)}`)),
    list('createdTo', ...[1, 30, 365, 1200].map((days) => `createdTo=${day(days)}`)),
    list('minDurationSeconds', ...[30, 60.5, 300, 330].map((seconds) => `minDurationSeconds=${seconds}`)),
    list('maxDurationSeconds', ...[30, 60.5, 300, 330].map((seconds) => `maxDurationSeconds=${seconds}`)),
    list('manager', ...['ковал', 'а', managers.at(-1)!, 'nobody'].map((part) => `manager=${encode(part)}`)),
    list('phone', ...['3752912', '29123', '4567', '375291234567'].map((part) => `phone=${part}`)),
    list('externalCallId', ...[0.1, 0.5, 0.9].map((part) => `externalCallId=pbx-${Math.floor(rows * part)}`)),
    list('scoreBelow', ...[5, 50, 99.5].map((score) => `scoreBelow=${score}`)),
    list('department', ...departments.map(({ id }) => `department=${id}`)),
    search('common words', 'на', 'день', 'доставка', 'the', 'order', 'накладная'),
    search(
      'rare words',
      ...[0.2, 0.5, 0.8].map((part) => String(1_000_000 + Math.floor(rows * part))),
      'нет-такого-слова',
    ),
    search(
      'many words',
      'заказ доставка оплата завтра спасибо',
      'order delivery payment tomorrow thank please',
      'цена or скидка or деньги or карта or счёт or товар or склад',
      '"добрый день" заказ -доставка',
      '-в -на -the',
    ),
    search('names', 'шевчук', 'Ковалёва Анна', 'ковал', 'nobody'),
    search('a part of the phone', '3752912', '29 123', '4567', '+375 (29) 123-45-67'),
    search('beginnings of words', 'достав', 'нак', 'deliv', `pbx-${Math.floor(rows / 2)}`, 'call'),
    {
      name: 'q with a filter',
      paths: [`manager=${encode('шевчук')}`, 'direction=INBOUND', `dateTo=${day(700)}`].map(
        (filter) => `/v1/recordings?q=${encode('доставка')}&${filter}`,
      ),
      p95: 1000,
    },
    { name: 'facets', paths: ['/v1/recordings/facets'], p95: 500 },
    { name: 'catalog', paths: ['/v1/recordings/catalog'], p95: 500 },
  ]
}
