import { ApiError } from './api-client.ts'
import { redirect, type PageContext } from './context.ts'
import { parseForm, type Fields } from './fields.ts'
import { createFormWithErrors, type Form } from './form.ts'

/** The response to a change sent by a form. */
interface Submission {
  to: string
  notice?: () => string | undefined
  /** Shows the page again with the errors of the API. */
  show: (form: Form) => Promise<void>
  /** The values of the form shown again; by default the sent ones. */
  values?: Fields
  /** Fields whose errors are shown beside them. */
  names?: string[]
}

/** Sends a change to the API, then redirects. If the API rejects it with 400 or 409, shows the page again. */
export async function submitChange(
  context: PageContext,
  change: () => Promise<unknown>,
  { to, notice, show, values, names = [] }: Submission,
): Promise<void> {
  try {
    await change()
  } catch (error) {
    if (!(error instanceof ApiError)) throw error
    const form = createFormWithErrors(error, values ?? (await parseForm(context.ctx)), names, context.language)
    context.ctx.status = error.status
    return show(form)
  }
  redirect(context.ctx, to, notice?.())
}
