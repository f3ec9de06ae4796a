import { ApiError } from './api-client.ts'
import { redirect, type PageContext } from './context.ts'
import { parsePostedForm, type FormValues } from './fields.ts'
import { createFormWithErrors, type FormState } from './form.ts'

interface Submission {
  /** The address after the change; a function if it depends on the response. */
  to: string | (() => string)
  notice?: () => string | undefined
  /** Renders the page with the form again, with the errors of the API. */
  show: (form: FormState) => Promise<void>
  /** Values to show in the form again; by default the sent ones. */
  values?: FormValues
  /** Fields with space for an error beside them. */
  names?: string[]
}

/**
 * Sends the change of a form to the API, then redirects to `to`. On 400 or 409 it shows the form again. @throws
 * all other errors
 */
export async function submitChange(
  context: PageContext,
  change: () => Promise<unknown>,
  { to, notice, show, values, names = [] }: Submission,
): Promise<void> {
  try {
    await change()
  } catch (error) {
    if (!(error instanceof ApiError)) throw error
    const form = createFormWithErrors(error, values ?? (await parsePostedForm(context.ctx)), names, context.language)
    context.ctx.status = error.status
    return show(form)
  }
  redirect(context.ctx, typeof to === 'string' ? to : to(), notice?.())
}
