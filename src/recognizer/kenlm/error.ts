/** A language model that cannot be used. The message is one sentence for people and names the error. */
export class LanguageModelError extends Error {
  override readonly name = 'LanguageModelError'
}
