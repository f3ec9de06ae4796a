import type { PersonActor } from '../../platform/http/actor.ts'
import { personReferenceSql } from '../schema.ts'
import type { CommentJson } from './schema.ts'

export interface CommentRow {
  id: string
  at: number
  text: string
  person: CommentJson['person']
  mentions: CommentJson['mentions']
  replyTo: string | null
  createdAt: Date
  editedAt: Date | null
  isDeleted: boolean
}

/** Columns of call_comments c for a CommentRow. */
export const COMMENT_COLUMNS_SQL = `
  c.id, c.at_seconds AS at, c.text, c.reply_to AS "replyTo", c.created_at AS "createdAt", c.edited_at AS "editedAt",
  c.deleted_at IS NOT NULL AS "isDeleted",
  ${personReferenceSql('c.person_id')} AS person,
  (SELECT coalesce(json_agg(json_build_object('id', p.id, 'name', p.name) ORDER BY lower(p.name), p.id), '[]')
     FROM people p WHERE p.id = ANY(c.mentions)) AS mentions`

export const presentComment = (row: CommentRow, { person }: PersonActor): CommentJson => ({
  ...row,
  createdAt: row.createdAt.toISOString(),
  editedAt: row.editedAt && row.editedAt.toISOString(),
  isOwn: row.person.id === person.id && !row.isDeleted,
})
