import { text as collect } from 'node:stream/consumers'
import type { Core } from '../../platform/core.ts'
import { HttpError } from '../../platform/errors.ts'
import { validateBody } from '../../platform/http/validation.ts'
import { parseJson } from '../../platform/lib/json.ts'
import type { Message } from '../../platform/lib/messages.ts'
import { omitNullCallFields, JsonCallFields, type CallFields } from '../recordings/schema.ts'
import { ignoreMissingObject } from '../../platform/storage/storage.ts'
import { ingestionMessages } from './messages.ts'

/** Thrown if the JSON file of an audio file is too large or invalid. `reason` has the name of the JSON file. */
export class InvalidSidecarError extends Error {
  constructor(readonly reason: Message) {
    super(reason.text)
  }
}

/** Joins all messages of an error to one message, because the row of a file stores only one reason. */
export const joinErrorMessages = ({ messages }: HttpError): Message =>
  [messages].flat().reduceRight((rest, first) => ingestionMessages.several({ first, rest }))

const MAX_SIDECAR_BYTES = 1024 * 1024

/**
 * Reads the call fields of an audio file from the JSON file with the same name. Returns no fields if there is no such file.
 * @throws InvalidSidecarError if the JSON file is too large or invalid
 */
export async function readSidecarCallFields(core: Core, audioKey: string): Promise<CallFields> {
  const key = audioKey.replace(/\.[^./]*$/, '.json')
  const text = await readSidecarText(core, key)
  if (text === undefined) return {}
  try {
    return omitNullCallFields(validateBody(JsonCallFields, parseJson(text.replace(/^\ufeff/, '')), core.config))
  } catch (error) {
    const rule = error instanceof HttpError ? joinErrorMessages(error) : ingestionMessages.notJson()
    throw new InvalidSidecarError(ingestionMessages.file({ file: key, rule }))
  }
}

/** Reads the text of a JSON file. Returns undefined if the file does not exist. */
async function readSidecarText(core: Core, key: string): Promise<string | undefined> {
  const info = await ignoreMissingObject(core.storage.stat(key))
  if (!info) return undefined
  if (info.size > MAX_SIDECAR_BYTES) {
    throw new InvalidSidecarError(ingestionMessages.file({ file: key, rule: ingestionMessages.tooLarge() }))
  }
  return info.size === 0
    ? ''
    : ignoreMissingObject(core.storage.read(key, { start: 0, end: info.size - 1 }).then(collect))
}
