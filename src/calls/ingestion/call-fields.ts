import { text as collect } from 'node:stream/consumers'
import type { Core } from '../../platform/core.ts'
import { HttpError } from '../../platform/errors.ts'
import { checkBody } from '../../platform/http/validation.ts'
import { parseJson } from '../../platform/lib/json.ts'
import type { Message } from '../../platform/lib/messages.ts'
import { givenFields, JsonCallFields, type CallFields } from '../recordings/schema.ts'
import { ifPresent } from '../../platform/storage/index.ts'
import { ingestionMessages } from './messages.ts'

/** A file cannot be registered as it is. */
export class FileViolation extends Error {
  constructor(readonly reason: Message) {
    super(reason.text)
  }
}

/** All messages of an error as one. */
export const reasonOfRefusal = ({ messages }: HttpError): Message =>
  [messages].flat().reduceRight((rest, first) => ingestionMessages.several({ first, rest }))

const MAX_BYTES = 1024 * 1024

/** The call fields of an audio file, from the JSON file of the same name, if there is one. @throws FileViolation */
export async function readCallFields(core: Core, audioKey: string): Promise<CallFields> {
  const key = audioKey.replace(/\.[^./]*$/, '.json')
  const text = await readText(core, key)
  if (text === undefined) return {}
  try {
    return givenFields(checkBody(JsonCallFields, parseJson(text.replace(/^\ufeff/, '')), core.config))
  } catch (error) {
    const rule = error instanceof HttpError ? reasonOfRefusal(error) : ingestionMessages.notJson()
    throw new FileViolation(ingestionMessages.file({ file: key, rule }))
  }
}

/** Undefined if there is no such file. */
async function readText(core: Core, key: string): Promise<string | undefined> {
  const info = await ifPresent(core.storage.stat(key))
  if (!info) return undefined
  if (info.size > MAX_BYTES) {
    throw new FileViolation(ingestionMessages.file({ file: key, rule: ingestionMessages.tooLarge() }))
  }
  return info.size === 0 ? '' : ifPresent(core.storage.read(key, { start: 0, end: info.size - 1 }).then(collect))
}
