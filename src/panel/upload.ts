import type { ArrivingFile } from '../lib/multipart.ts'
import type { FacetsJson } from '../recordings/overview-schema.ts'
import { PageError } from './errors.ts'
import type { Fields } from './fields.ts'
import { freshForm, type Form } from './form.ts'
import { REQUEST_LIMIT_MS } from './server.ts'
import { multipartOf, receiveForm, type ReceivedForm } from './upload-form.ts'
import { CALL_FIELDS, refused, taken, type Result } from './upload-results.ts'
import {
  isRefresh,
  loadFrame,
  loadPerson,
  renderPage,
  renderParts,
  type Person,
  type Route,
  type Visit,
} from './visit.ts'

export const uploadRoutes: Route[] = [
  { method: 'get', path: '/upload', handle: async (visit) => showForm(visit, await loadFrame(visit), freshForm()) },
  { method: 'post', path: '/upload', handle: submit },
]

/** So many links one form takes, and so many are followed at the same time. */
const MAX_LINKS = 50
const LINKS_AT_ONCE = 4

const DECODERS = ['greedy', 'beam_search']

async function showForm(
  visit: Visit,
  person: Person,
  form: Form,
  files: Result[] = [],
  links: Result[] = [],
): Promise<void> {
  refuseOthers(person)
  // The frame has asked this too, so it costs nothing.
  const { managers } = await visit.api.read<FacetsJson>('/v1/recordings/facets')
  const { words } = visit.language
  const unknown = { value: '', text: words.upload.unknown }
  renderPage(visit, 'upload/index', {
    title: words.upload.title,
    scripts: ['upload.js'],
    form,
    results: [...files, ...links],
    chooseAgain: files.some(isRefused),
    managers: managers.slice(0, 200).map(({ name }) => name),
    directions: [unknown, ...Object.entries(words.recordings.direction).map(([value, text]) => ({ value, text }))],
    decoders: [
      { value: '', text: words.upload.usual },
      ...DECODERS.map((value) => ({ value, text: words.recordings.decoder[value] })),
    ],
  })
}

function refuseOthers({ rights }: Person): void {
  if (rights.manageRecordings !== true) throw new PageError(403)
}

/** Takes files and links, sends each on to the API as it comes, and says of each what came of it. */
async function submit(visit: Visit): Promise<void> {
  const { ctx } = visit
  refuseOthers(await loadPerson(visit))
  if (!ctx.is('multipart/form-data')) throw new PageError(400)
  const files: Result[] = []
  const received = await receiveForm(ctx, async (file, fields) => {
    files.push(await submitFile(visit, file, fields))
  })
  const given = received.fields.raw('links').split(/\s+/).filter(Boolean)
  const links = given.length > MAX_LINKS ? [] : await submitLinks(visit, given, received.fields)
  if (given.length > MAX_LINKS) received.fault ??= 'tooMany'
  const form = formOf(
    visit,
    received,
    [...files, ...links],
    given.filter((_, n) => links[n]?.faults.length !== 0),
  )
  // A script shows what came of each; that something was refused is no failure of its question.
  if (isRefresh(ctx))
    return renderParts(visit, ['upload/_results'], { results: [...files, ...links], fault: form.fault })
  if (form.fault || [...files, ...links].every(isRefused)) ctx.status = 400
  await showForm(visit, await loadFrame(visit), form, files, links)
}

const isRefused = ({ faults }: Result): boolean => faults.length > 0

/** The form again: with what is wrong with its fields, and the links that are still to be submitted. */
function formOf({ language }: Visit, { fields, fault }: ReceivedForm, results: Result[], links: string[]): Form {
  const { upload } = language.words
  const errors = Object.assign({}, ...results.map(({ errors }) => errors).toReversed()) as Record<string, string>
  const values = fields.with('links', links.join('\n'))
  return { values, errors, fault: fault ? upload[fault] : results.length === 0 ? upload.nothing : null }
}

async function submitFile({ api, language }: Visit, file: ArrivingFile, fields: Fields): Promise<Result> {
  const { type, body } = multipartOf(fields.filled(...CALL_FIELDS), file)
  try {
    const { headers } = await api.sendStream('/v1/recordings', type, body)
    return taken(file.name, headers)
  } catch (error) {
    return refused(file.name, error, language)
  }
}

async function submitLinks(visit: Visit, links: string[], fields: Fields): Promise<Result[]> {
  const results: Result[] = []
  const waiting = [...links.entries()]
  const work = async () => {
    for (let next = waiting.shift(); next; next = waiting.shift()) {
      results[next[0]] = await submitLink(visit, next[1], fields)
    }
  }
  await Promise.all(Array.from({ length: LINKS_AT_ONCE }, work))
  return results
}

async function submitLink({ api, language }: Visit, url: string, fields: Fields): Promise<Result> {
  const { priority, ...call } = fields.filled(...CALL_FIELDS)
  // JSON tells numbers from texts; what is no number is for the API to refuse.
  const body = { ...call, ...(priority && { priority: /^\d+$/.test(priority) ? Number(priority) : priority }), url }
  try {
    const { headers } = await api.send('POST', '/v1/recordings/from-url', body, REQUEST_LIMIT_MS)
    return taken(url, headers)
  } catch (error) {
    return refused(url, error, language)
  }
}
