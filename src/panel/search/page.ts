import type { SearchSynonymsJson } from '../../calls/list/synonyms-schema.ts'
import type { ApiError, ApiMessage } from '../frame/api-client.ts'
import { redirect, renderPage, type PageContext } from '../frame/context.ts'
import { FormValues, parsePostedForm } from '../frame/fields.ts'
import { createFormWithErrors, createFormState, type FormState } from '../frame/form.ts'
import type { Language } from '../frame/i18n.ts'
import { isOwner, type Page } from '../frame/page.ts'
import { searchWords } from './words.ts'

const SYNONYMS_API_PATH = '/v1/search/synonyms'

export const searchPage: Page<'search', typeof searchWords> = {
  name: 'search',
  words: searchWords,
  menu: { href: '/search', title: searchWords.title, group: 'settings', for: isOwner },
  routes: [
    { method: 'get', path: '/search', handle: showSynonyms },
    { method: 'post', path: '/search', handle: saveSynonyms },
  ],
}

async function showSynonyms(context: PageContext): Promise<void> {
  const { groups } = await context.api.fetch<SearchSynonymsJson>(SYNONYMS_API_PATH)
  await renderForm(context, createFormState(FormValues.of({ groups: groups.map(formatGroup).join('\n') })))
}

/** Replaces commas within an entry by spaces, because a comma separates entries. */
const formatGroup = (group: string[]): string => group.map((entry) => entry.replaceAll(',', ' ')).join(', ')

async function saveSynonyms(context: PageContext): Promise<void> {
  const { ctx, api, language } = context
  const fields = await parsePostedForm(ctx)
  const lines = parseLines(fields.raw('groups'))
  try {
    await api.send('PUT', SYNONYMS_API_PATH, { groups: lines.map(({ entries }) => entries) })
  } catch (error) {
    const form = createFormWithErrors(error, fields, ['groups'], language)
    const { status, messages } = error as ApiError
    form.errors.groups = messages.map((message) => formatLineError(message, lines, language)).join('\n')
    ctx.status = status
    return renderForm(context, form)
  }
  redirect(ctx, '/search', language.words.search.saved)
}

interface SynonymLine {
  /** Counted from 1, for messages. */
  number: number
  entries: string[]
}

/** Parses one group of synonyms per line. Omits empty lines. */
function parseLines(text: string): SynonymLine[] {
  return text.split(/\r\n|\r|\n/).flatMap((line, index) => {
    const entries = line.split(',').flatMap((entry) => entry.trim() || [])
    return entries.length > 0 ? [{ number: index + 1, entries }] : []
  })
}

/** Formats an error of the field `groups`, `groups.3` or `groups.3.1` with the number of its line. */
function formatLineError({ field = '', text }: ApiMessage, lines: SynonymLine[], { words }: Language): string {
  const [, group, entryIndex] = field.split('.')
  const line = lines[Number(group)]
  if (!line) return words.search.tooMany
  if (entryIndex === undefined) return words.search.size(line.number)
  const rule = text.charAt(0).toLowerCase() + text.slice(1)
  return words.search.wrong(line.number, line.entries[Number(entryIndex)]!, rule)
}

async function renderForm(context: PageContext, form: FormState): Promise<void> {
  await renderPage(context, 'search/index', { title: context.language.words.search.title, form })
}
