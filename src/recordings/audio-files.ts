import { extname } from 'node:path'
import type { Readable } from 'node:stream'
import type { Core } from '../core.ts'
import { newId } from '../lib/ids.ts'
import { planRemoval } from './removals.ts'
import type { StoredAudio } from './service.ts'

/** An upload that has not ended after a day never will: its file may go. */
const UPLOAD_LIMIT_SECONDS = 24 * 3600

/** Stores audio that arrives, under a name of ours: what its sender calls it never becomes a path. */
export async function storeAudio(core: Core, content: Readable, originalName: string): Promise<StoredAudio> {
  const storageKey = `${core.storage.uploadPrefix}${new Date().toISOString().slice(0, 10)}/${newId()}`
  await planRemoval(core.pool, storageKey, UPLOAD_LIMIT_SECONDS)
  const sizeBytes = await core.storage.write(storageKey, content)
  return { storageKey, sizeBytes, fileName: shownName(originalName) }
}

/** The sender's file name as text to show: no folders, no control characters, at most 255 characters. */
export function shownName(originalName: string): string | null {
  const name = originalName
    .split(/[/\\]/)
    .pop()!
    // oxlint-disable-next-line no-control-regex
    .replace(/[\u0000-\u001f\u007f]/g, '')
    .toWellFormed()
  if (name.length <= 255) return name || null
  const extension = begin(extname(name), 20)
  return begin(name, 255 - extension.length) + extension
}

/** The beginning of a text, in whole characters as people see them: no emoji is cut in two. */
function begin(text: string, length: number): string {
  let end = 0
  for (const { index, segment } of new Intl.Segmenter().segment(text.slice(0, length + 64))) {
    if (index + segment.length <= length) end = index + segment.length
  }
  return text.slice(0, end)
}
