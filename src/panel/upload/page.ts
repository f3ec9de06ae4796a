import type { ArrivingFile } from '../../platform/lib/forms.ts'
import type { RecordingJson } from '../../calls/recordings/schema.ts'
import { isId } from '../../platform/lib/ids.ts'
import { ignoreRejection } from '../frame/api-client.ts'
import { readDay } from '../frame/dates.ts'
import { PageError } from '../frame/errors.ts'
import { Fields, readFields } from '../frame/fields.ts'
import { freshForm, type Form } from '../frame/form.ts'
import type { Language } from '../frame/i18n.ts'
import { offered, readManagers } from '../frame/managers.ts'
import { MAX_FILES, multipartOf, receiveForm, type ReceivedForm } from './form.ts'
import { doubtsOf, readName } from './names.ts'
import { CALL_FIELDS, refused, taken, type Result } from './results.ts'
import { isRefresh, renderPage, renderParts, type Person, type PageContext } from '../frame/context.ts'
import { DECODERS } from '../../calls/recordings/values.ts'
import type { Page } from '../frame/page.ts'
import { upload } from './words.ts'

export const uploadPage: Page<'upload', typeof upload> = {
  name: 'upload',
  words: upload,
  menu: { href: '/upload', title: upload.title, group: 'work', for: ({ rights }) => rights.manageRecordings === true },
  styles: ['upload'],
  scripts: ['upload'],
  routes: [
    { method: 'get', path: '/upload', handle: showUpload },
    { method: 'post', path: '/upload', handle: submit },
    { method: 'post', path: '/upload/names', handle: showNames },
  ],
}

const MAX_LINKS = 50
const LINKS_AT_ONCE = 4

/** The form, with the fields of another call whose file was unusable (as). */
async function showUpload(context: PageContext): Promise<void> {
  const { ctx, api } = context
  const id = String(ctx.query.as ?? '')
  const call = isId(id) ? await api.read<RecordingJson>(`/v1/recordings/${id}`).catch(ignoreRejection) : undefined
  await showForm(context, freshForm(call && fieldsOf(call, context)))
}

function fieldsOf(call: RecordingJson, { language: { format } }: PageContext): Fields {
  const { managerName, phoneNumber, direction, callStartedAt: at, priority, decoder, callbackUrl } = call
  const callStartedAt = at && format.localTime(at)
  return Fields.of({ managerName, phoneNumber, direction, callStartedAt, priority, decoder, callbackUrl })
}

/** The fields in the names of the chosen files, to correct them. */
async function showNames(context: PageContext): Promise<void> {
  refuseOthers(context.person)
  const [fields, managers] = await Promise.all([readFields(context.ctx), readManagers(context)])
  const names = fields.all('name').slice(0, MAX_FILES)
  const calls = names.map((name) => {
    const form = freshForm(Fields.of({ ...readName(name, managers) }))
    return { name, form }
  })
  await renderParts(context, ['upload/_names'], { calls, directions: directionsOf(context.language) })
}

function directionsOf({ words }: Language) {
  const unknown = { value: '', text: words.upload.unknown }
  return [unknown, ...Object.entries(words.recordings.direction).map(([value, text]) => ({ value, text }))]
}

async function showForm(context: PageContext, form: Form, files: Result[] = [], links: Result[] = []): Promise<void> {
  refuseOthers(context.person)
  const managers = await readManagers(context)
  const { words } = context.language
  await renderPage(context, 'upload/index', {
    title: words.upload.title,
    scripts: ['upload.js'],
    form,
    results: [...files, ...links],
    chooseAgain: files.some(isRefused),
    managers: offered(managers),
    directions: directionsOf(context.language),
    decoders: [
      { value: '', text: words.upload.usual },
      ...DECODERS.map((value) => ({ value, text: words.recordings.decoder[value] })),
    ],
  })
}

function refuseOthers({ rights }: Person): void {
  if (rights.manageRecordings !== true) throw new PageError(403)
}

/** Sends each file and link to the API as it arrives. */
async function submit(context: PageContext): Promise<void> {
  const { ctx } = context
  refuseOthers(context.person)
  // Known managers only serve for a warning.
  const managers = await readManagers(context).catch((): string[] => [])
  if (!ctx.is('multipart/form-data')) throw new PageError(400)
  const files: Result[] = []
  const received = await receiveForm(ctx, async (file, fields) => {
    files.push(await submitFile(context, file, fields, managers))
  })
  const given = received.fields.raw('links').split(/\s+/).filter(Boolean)
  const links = given.length > MAX_LINKS ? [] : await submitLinks(context, given, received.fields, managers)
  if (given.length > MAX_LINKS) received.error ??= 'tooMany'
  const form = formOf(
    context,
    received,
    [...files, ...links],
    given.filter((_, n) => links[n]?.reasons.length !== 0),
  )
  // A script shows each result; its request succeeds even if a file was rejected.
  if (isRefresh(ctx))
    return renderParts(context, ['upload/_results'], { results: [...files, ...links], error: form.error })
  if (form.error || [...files, ...links].every(isRefused)) ctx.status = 400
  await showForm(context, form, files, links)
}

const isRefused = ({ reasons }: Result): boolean => reasons.length > 0

/** The form again, with the errors of its fields and the failed links. */
function formOf({ language }: PageContext, { fields, error }: ReceivedForm, results: Result[], links: string[]): Form {
  const { upload } = language.words
  const errors = Object.assign({}, ...results.map(({ errors }) => errors).toReversed()) as Record<string, string>
  const values = fields.with('links', links.join('\n'))
  return { values, errors, error: error ? upload[error] : results.length === 0 ? upload.nothing : null }
}

function callOf(fields: Fields): Record<string, string> {
  const { callStartedAt, ...call } = fields.filled(...CALL_FIELDS)
  return { ...call, ...(callStartedAt && { callStartedAt: readDay(callStartedAt) }) }
}

/** With a script, the person has checked the fields of the name (looked); without one, they are parsed here. */
async function submitFile(
  { api, language }: PageContext,
  file: ArrivingFile,
  fields: Fields,
  managers: string[],
): Promise<Result> {
  const read = fields.raw('looked') === 'true' ? {} : readName(file.name, managers)
  const call: Record<string, string> = { ...read, ...callOf(fields) }
  const { type, body } = multipartOf(call, file)
  try {
    const { headers } = await api.sendStream('/v1/recordings', type, body)
    return { ...taken(file.name, headers), doubts: doubtsOf(call, managers, language) }
  } catch (error) {
    return refused(file.name, error, language)
  }
}

async function submitLinks(
  context: PageContext,
  links: string[],
  fields: Fields,
  managers: string[],
): Promise<Result[]> {
  const results: Result[] = []
  const waiting = [...links.entries()]
  const work = async () => {
    for (let next = waiting.shift(); next; next = waiting.shift()) {
      results[next[0]] = await submitLink(context, next[1], callOf(fields), managers)
    }
  }
  await Promise.all(Array.from({ length: LINKS_AT_ONCE }, work))
  return results
}

async function submitLink(
  { api, language }: PageContext,
  url: string,
  { priority, ...call }: Record<string, string>,
  managers: string[],
): Promise<Result> {
  // The API rejects other texts.
  const body = { ...call, ...(priority && { priority: /^\d+$/.test(priority) ? Number(priority) : priority }), url }
  try {
    const { headers } = await api.send('POST', '/v1/recordings/from-url', body, api.requestLimitMs)
    return { ...taken(url, headers), doubts: doubtsOf(call, managers, language) }
  } catch (error) {
    return refused(url, error, language)
  }
}
