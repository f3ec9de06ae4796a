import { md5 } from '../../platform/lib/crypto.ts'
import { decodeMessages } from '../../platform/lib/message-header.ts'
import type { PageContext } from './context.ts'
import type { Language } from './i18n.ts'
import { sayKnown } from './messages.ts'

/** So many are asked for at once. */
const MOST_ASKED = 100

/** So many are kept; what a text is known by never changes. */
const MOST_KEPT = 5000

/**
 * Asks by which ids these reasons of failures are known, once in the life of the panel; reasonInWords() says them then.
 * A page is not to fail for the want of it.
 */
export async function learnReasons(
  { api, language: { reasons } }: PageContext,
  texts: (string | null | undefined)[],
): Promise<void> {
  const unknown = [...new Set(texts)].filter((text) => text && !reasons.has(text)).slice(0, MOST_ASKED) as string[]
  if (unknown.length === 0) return
  const byHash = new Map(unknown.map((text) => [md5(text), text]))
  const { items } = await api
    .read<{ items: { hash: string; message: string }[] }>(`/v1/failure-reasons?hashes=${[...byHash.keys()].join(',')}`)
    .catch(() => ({ items: [] }))
  if (reasons.size + items.length > MOST_KEPT) reasons.clear()
  for (const { hash, message } of items) {
    const [known] = decodeMessages(message)
    const text = byHash.get(hash)
    if (known && text) reasons.set(text, known)
  }
}

/** Why something failed, in the person's language; a reason that nobody knows stays as the API says it. */
export const reasonInWords = (reason: string, language: Language): string =>
  sayKnown(language.reasons.get(reason), language) ?? reason
