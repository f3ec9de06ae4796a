/** The release and its day (YYYY-MM-DD) from package.json, and the short commit hash. build.mjs replaces them. */
declare const SVC_VERSION: string
declare const SVC_RELEASE_DATE: string
declare const SVC_COMMIT: string

declare module 'bee-queue/lib/lua/index.js' {
  /** Loads the queue's Lua scripts into the server of a client. */
  export function buildCache(client: unknown): Promise<unknown>
}

declare module 'wink-lexicon/src/wn-words.js' {
  const words: Record<string, number>
  export default words
}

declare module 'wink-lemmatizer' {
  const lemmatizer: Record<'noun' | 'verb' | 'adjective', (word: string) => string>
  export default lemmatizer
}
