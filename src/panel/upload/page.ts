import type { MultipartFormFile } from '../../platform/lib/form-parser.ts'
import type { RecordingJson } from '../../calls/recordings/schema.ts'
import { isUuid } from '../../platform/lib/ids.ts'
import { ignoreApiRejection } from '../frame/api-client.ts'
import { parseDay } from '../frame/dates.ts'
import { PageError } from '../frame/errors.ts'
import { FormValues, parsePostedForm } from '../frame/fields.ts'
import { createFormState, type FormState } from '../frame/form.ts'
import type { Language } from '../frame/i18n.ts'
import { limitManagerSuggestions, fetchManagerNames } from '../frame/manager-names.ts'
import { MAX_UPLOAD_FILES, buildMultipartUpload, parseUploadForm, type ReceivedUploadForm } from './form.ts'
import { collectCallFieldWarnings, parseCallFileName } from './file-name.ts'
import { buildUploadedCallsLinks, fetchUploadedCalls, parseCallIds, showUploadedCallStates } from './call-states.ts'
import {
  UPLOAD_CALL_FIELDS,
  buildAcceptedUploadResult,
  buildReloadedUploadResult,
  buildRejectedUploadResult,
  type UploadResult,
} from './results.ts'
import {
  isPartialRefresh,
  renderPage,
  renderPageParts,
  type LoggedInPerson,
  type PageContext,
} from '../frame/context.ts'
import { DECODER_NAMES } from '../../calls/recordings/values.ts'
import type { Page } from '../frame/page.ts'
import { uploadWords } from './words.ts'

export const uploadPage: Page<'upload', typeof uploadWords> = {
  name: 'upload',
  words: uploadWords,
  menu: {
    href: '/upload',
    title: uploadWords.title,
    group: 'work',
    for: ({ rights }) => rights.manageRecordings === true,
  },
  styles: ['upload'],
  scripts: ['upload', 'upload-calls'],
  routes: [
    { method: 'get', path: '/upload', handle: showUpload },
    { method: 'post', path: '/upload', handle: submitUpload },
    { method: 'post', path: '/upload/names', handle: showNames },
    { method: 'get', path: '/upload/calls', handle: showUploadedCallStates },
  ],
}

const MAX_LINKS = 50
const MAX_CONCURRENT_LINKS = 4

/**
 * Renders the upload form. `as` copies the fields of a call whose file was invalid; `calls` shows the calls uploaded before a
 * reload.
 */
async function showUpload(context: PageContext): Promise<void> {
  const { ctx, api } = context
  requireManageRecordings(context.person)
  const id = String(ctx.query.as ?? '')
  const call = isUuid(id) ? await api.fetch<RecordingJson>(`/v1/recordings/${id}`).catch(ignoreApiRejection) : undefined
  const calls = await fetchUploadedCalls(context, parseCallIds(ctx.query.calls))
  const results = calls.map(({ recording, state }) => buildReloadedUploadResult(recording, state, context.language))
  await renderForm(context, createFormState(call && buildFields(call, context)), results)
}

function buildFields(call: RecordingJson, { language: { format } }: PageContext): FormValues {
  const { managerName, phoneNumber, direction, callStartedAt: at, priority, decoder, callbackUrl } = call
  const callStartedAt = at && format.localTime(at)
  return FormValues.of({ managerName, phoneNumber, direction, callStartedAt, priority, decoder, callbackUrl })
}

/** Renders the fields parsed from the names of the chosen files, so that people can correct them. */
async function showNames(context: PageContext): Promise<void> {
  requireManageRecordings(context.person)
  const [fields, managers] = await Promise.all([parsePostedForm(context.ctx), fetchManagerNames(context)])
  const names = fields.allValues('name').slice(0, MAX_UPLOAD_FILES)
  const calls = names.map((name) => {
    const form = createFormState(FormValues.of({ ...parseCallFileName(name, managers) }))
    return { name, form }
  })
  await renderPageParts(context, ['upload/_names'], { calls, directions: buildDirectionOptions(context.language) })
}

function buildDirectionOptions({ words }: Language) {
  const unknown = { value: '', text: words.upload.unknown }
  return [unknown, ...Object.entries(words.recordings.direction).map(([value, text]) => ({ value, text }))]
}

async function renderForm(
  context: PageContext,
  form: FormState,
  files: UploadResult[] = [],
  links: UploadResult[] = [],
): Promise<void> {
  requireManageRecordings(context.person)
  const managers = await fetchManagerNames(context)
  const { words } = context.language
  await renderPage(context, 'upload/index', {
    title: words.upload.title,
    scripts: ['upload.js', 'upload-calls.js'],
    form,
    results: [...files, ...links],
    listLinks: buildUploadedCallsLinks(
      [...files, ...links].flatMap(({ call }) => call?.id ?? []),
      context.language,
    ),
    chooseAgain: files.some(isRejected),
    managers: limitManagerSuggestions(managers),
    directions: buildDirectionOptions(context.language),
    decoders: [
      { value: '', text: words.upload.usual },
      ...DECODER_NAMES.map((value) => ({ value, text: words.recordings.decoder[value] })),
    ],
  })
}

function requireManageRecordings({ rights }: LoggedInPerson): void {
  if (rights.manageRecordings !== true) throw new PageError(403)
}

/** Sends each file to the API while it arrives, then the links. */
async function submitUpload(context: PageContext): Promise<void> {
  const { ctx } = context
  requireManageRecordings(context.person)
  // The names help to parse file names and to warn about typos, but uploads work without them.
  const managers = await fetchManagerNames(context).catch((): string[] => [])
  if (!ctx.is('multipart/form-data')) throw new PageError(400)
  const files: UploadResult[] = []
  const uploadForm = await parseUploadForm(ctx, async (file, fields) => {
    files.push(await submitFile(context, file, fields, managers))
  })
  const typedLinks = uploadForm.fields.raw('links').split(/\s+/).filter(Boolean)
  const links = typedLinks.length > MAX_LINKS ? [] : await submitLinks(context, typedLinks, uploadForm.fields, managers)
  if (typedLinks.length > MAX_LINKS) uploadForm.error ??= 'tooMany'
  const form = buildForm(
    context,
    uploadForm,
    [...files, ...links],
    typedLinks.filter((_, n) => links[n]?.reasons.length !== 0),
  )
  // Scripts show the result of each file, so their request succeeds even if the API rejected a file.
  if (isPartialRefresh(ctx))
    return renderPageParts(context, ['upload/_results'], { results: [...files, ...links], error: form.error })
  if (form.error || [...files, ...links].every(isRejected)) ctx.status = 400
  await renderForm(context, form, files, links)
}

const isRejected = ({ reasons }: UploadResult): boolean => reasons.length > 0

/** Builds the form again with the errors of its fields and with the links that were not accepted. */
function buildForm(
  { language }: PageContext,
  { fields, error }: ReceivedUploadForm,
  results: UploadResult[],
  links: string[],
): FormState {
  const { upload } = language.words
  const errors = Object.assign({}, ...results.map(({ errors }) => errors).toReversed()) as Record<string, string>
  const values = fields.with('links', links.join('\n'))
  return { values, errors, error: error ? upload[error] : results.length === 0 ? upload.nothing : null }
}

function parseCall(fields: FormValues): Record<string, string> {
  const { callStartedAt, ...call } = fields.collectFilled(...UPLOAD_CALL_FIELDS)
  return { ...call, ...(callStartedAt && { callStartedAt: parseDay(callStartedAt) }) }
}

/**
 * Sends a file with its fields. Parses the file name, unless the form field `looked` states that the form contains the parsed
 * fields. Fields of the form take precedence.
 */
async function submitFile(
  context: PageContext,
  file: MultipartFormFile,
  fields: FormValues,
  managers: string[],
): Promise<UploadResult> {
  const { api, language } = context
  const parsedName = fields.raw('looked') === 'true' ? {} : parseCallFileName(file.name, managers)
  const call: Record<string, string> = { ...parsedName, ...parseCall(fields) }
  const { type, body } = buildMultipartUpload(call, file)
  try {
    const response = await api.sendStream<RecordingJson>('/v1/recordings', type, body)
    const warnings = collectCallFieldWarnings(call, managers, language)
    return buildAcceptedUploadResult(file.name, response.body, warnings, context)
  } catch (error) {
    return buildRejectedUploadResult(file.name, error, language)
  }
}

async function submitLinks(
  context: PageContext,
  links: string[],
  fields: FormValues,
  managers: string[],
): Promise<UploadResult[]> {
  const results: UploadResult[] = []
  const pendingLinks = [...links.entries()]
  const submitNext = async () => {
    for (let next = pendingLinks.shift(); next; next = pendingLinks.shift()) {
      results[next[0]] = await submitLink(context, next[1], parseCall(fields), managers)
    }
  }
  await Promise.all(Array.from({ length: MAX_CONCURRENT_LINKS }, submitNext))
  return results
}

async function submitLink(
  context: PageContext,
  url: string,
  { priority, ...call }: Record<string, string>,
  managers: string[],
): Promise<UploadResult> {
  const { api, language } = context
  // A priority that is not a whole number stays unchanged, so that the API rejects it.
  const body = { ...call, ...(priority && { priority: /^\d+$/.test(priority) ? Number(priority) : priority }), url }
  try {
    const response = await api.send<RecordingJson>('POST', '/v1/recordings/from-url', body, api.requestLimitMs)
    const warnings = collectCallFieldWarnings(call, managers, language)
    return buildAcceptedUploadResult(url, response.body, warnings, context)
  } catch (error) {
    return buildRejectedUploadResult(url, error, language)
  }
}
