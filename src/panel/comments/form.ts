import type { CommentJson } from '../../work/comments/schema.ts'
import { ApiError } from '../frame/api-client.ts'
import type { PageContext } from '../frame/context.ts'
import { FormValues } from '../frame/fields.ts'
import { createFormState, createFormWithErrors, type FormState } from '../frame/form.ts'
import type { Language } from '../frame/i18n.ts'
import { parseMoment } from '../frame/moment.ts'
import { formatRecordingApiPath, parseNumberParameter } from '../recording/query.ts'
import { fetchComments, formatCommentHref } from './view.ts'

/** The comment that a form writes. The query of the page names it: `write=SECONDS`, `reply=ID` or `edit=ID`. */
type WrittenComment =
  | { kind: 'write'; at: number }
  | { kind: 'reply'; to: CommentJson; at: number }
  | { kind: 'edit'; comment: CommentJson }

/** Parses the query of the page. Returns null if it names no form, or a comment that does not exist or is not the person's own. */
async function findWrittenComment(context: PageContext): Promise<WrittenComment | null> {
  const { write, reply, edit } = context.ctx.query
  if (reply === undefined && edit === undefined)
    return write === undefined ? null : { kind: 'write', at: parseNumberParameter(write) ?? 0 }
  const comments = await fetchComments(context)
  const comment = comments.find(({ id, isOwn }) => (edit === undefined ? id === reply : id === edit && isOwn))
  if (!comment) return null
  if (edit !== undefined) return { kind: 'edit', comment }
  const { at } = comments.find(({ id }) => id === comment.replyTo) ?? comment
  return { kind: 'reply', to: comment, at }
}

interface MentionablePerson {
  id: string
  name: string
  isCallManager: boolean
}

/** Fetches the other people who see the call. */
export async function fetchMentionablePeople(context: PageContext): Promise<MentionablePerson[]> {
  const path = `${formatRecordingApiPath(context)}/mentionable-people`
  return (await context.api.fetch<{ items: MentionablePerson[] }>(path)).items
}

/** Builds the form that the query of the page names; null for none. @param rejected the form that the API rejected */
export async function fetchCommentForm(context: PageContext, rejected?: FormState) {
  const written = await findWrittenComment(context)
  if (!written) return null
  const people = await fetchMentionablePeople(context)
  const mentioned = written.kind === 'edit' ? written.comment.mentions : []
  // The API keeps a mention of a person who no longer sees the call, so the form offers it too.
  const options = new Map([...people, ...mentioned].map(({ id, name }) => [id, name]))
  const { newTitle, replyTitle, editTitle } = context.language.words.comments
  const parameters = formatParameters(written)
  return {
    title:
      written.kind === 'write' ? newTitle : written.kind === 'edit' ? editTitle : replyTitle(written.to.person.name),
    action: formatCommentHref(context, '/comments', parameters),
    href: formatCommentHref(context, '', parameters),
    closeHref: formatCommentHref(context, '', {}),
    /** Identifies the unsaved text in the browser. */
    draft: written.kind === 'write' ? 'write' : Object.entries(parameters)[0]!.join('='),
    hasMoment: written.kind === 'write',
    options: [...options].map(([value, text]) => ({ value, text })),
    form: rejected ?? createFormState(FormValues.of(formatValues(written, context.language))),
  }
}

function formatParameters(written: WrittenComment): Record<string, string> {
  if (written.kind === 'edit') return { edit: written.comment.id }
  return written.kind === 'reply' ? { reply: written.to.id } : { write: String(written.at) }
}

function formatValues(written: WrittenComment, { format }: Language) {
  if (written.kind === 'edit')
    return { text: written.comment.text, mentions: written.comment.mentions.map(({ id }) => id) }
  const tenths = Math.floor(written.at * 10) % 10
  return { at: format.length(written.at) + (tenths > 0 ? `.${tenths}` : ''), text: '', mentions: [] }
}

/** Saves a form. @returns the comment, or the form with its errors and the HTTP status */
export async function saveComment(
  context: PageContext,
  fields: FormValues,
): Promise<{ comment: CommentJson } | { form: FormState; status: number }> {
  const { language, api } = context
  const t = language.words.comments
  const written = await findWrittenComment(context)
  if (!written) return { form: { ...createFormState(fields), error: t.missing }, status: 404 }
  const at = written.kind === 'reply' ? written.at : parseMoment(fields.text('at'))
  if (written.kind !== 'edit' && at === null)
    return { form: { ...createFormState(fields), errors: { at: t.momentRule } }, status: 400 }
  const path = `${formatRecordingApiPath(context)}/comments`
  // Browsers send the line breaks of a text field as CR LF.
  const content = { text: fields.text('text').replaceAll('\r\n', '\n'), mentions: fields.allValues('mentions') }
  try {
    const { body } =
      written.kind === 'edit'
        ? await api.send<CommentJson>('PATCH', `${path}/${written.comment.id}`, content)
        : await api.send<CommentJson>('POST', path, {
            at,
            ...content,
            ...(written.kind === 'reply' && { replyTo: written.to.id }),
          })
    return { comment: body }
  } catch (error) {
    return { form: createRejectedForm(error, fields, language), status: (error as ApiError).status }
  }
}

/** Also shows the message of a 403 or 404 in the form, so that the text is not lost. */
function createRejectedForm(error: unknown, fields: FormValues, language: Language): FormState {
  if (error instanceof ApiError && [403, 404].includes(error.status))
    return { ...createFormState(fields), error: error.messages.map(({ text }) => text).join(' ') }
  return createFormWithErrors(error, fields, ['at', 'text', 'mentions'], language)
}
