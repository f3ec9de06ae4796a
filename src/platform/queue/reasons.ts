import type { Sql } from '../db/sql.ts'
import { md5 } from '../lib/crypto.ts'
import { encodeMessages } from '../lib/message-header.ts'
import { Message, templates } from '../lib/messages.ts'

/**
 * Notes by which id a reason is known that is about to be stored as text, with a row or in an answer: whoever shows it in
 * another language finds it by its text. So rows that an earlier release wrote are known too.
 * @param text as it is stored
 */
export async function noteReason(sql: Sql, reason: Message | null, text = reason?.text): Promise<void> {
  if (!reason || text === undefined) return
  await sql.query({
    name: 'note-reason',
    text: 'INSERT INTO failure_reasons (hash, message) VALUES ($1, $2) ON CONFLICT (hash) DO NOTHING',
    values: [md5(text), encodeMessages([reason])],
  })
}

/** A reason by the MD5 of its text, as an item of X-Error-Ids. */
export interface KnownReason {
  hash: string
  message: string
}

/** What is known of these reasons. */
export async function findReasons(sql: Sql, hashes: string[]): Promise<KnownReason[]> {
  const { rows } = await sql.query<KnownReason>({
    text: 'SELECT hash, message FROM failure_reasons WHERE hash = ANY($1)',
    values: [hashes],
  })
  const known = new Set(rows.map(({ hash }) => hash))
  return [...rows, ...constantReasons().filter(({ hash }) => hashes.includes(hash) && !known.has(hash))]
}

/** Messages without values need not be stored to be known. */
const constantReasons = (): KnownReason[] =>
  [...templates].flatMap(([id, text]) => (text.includes('{') ? [] : [{ hash: md5(text), message: id }]))
