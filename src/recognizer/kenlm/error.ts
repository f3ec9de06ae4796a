/** Thrown if a language model file cannot be used. The message is one sentence that describes the problem to operators. */
export class LanguageModelError extends Error {
  override readonly name = 'LanguageModelError'
}
