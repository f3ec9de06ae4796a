import Type, { type TSchema } from 'typebox'
import * as field from './field.ts'

/** Applies if the query has no pageSize. */
const DEFAULT_PAGE_SIZE = 25

export const pageParameters = {
  page: Type.Integer({
    minimum: 1,
    maximum: Number.MAX_SAFE_INTEGER,
    default: 1,
    description: 'The page, from 1. A page past the end is empty.',
  }),
  pageSize: Type.Integer({ minimum: 1, maximum: 100, default: DEFAULT_PAGE_SIZE, description: 'Items per page.' }),
}

/** Defines the query parameter `order` of the transcript list; `desc` by default. */
export const transcriptOrderParameter = {
  order: Type.Enum(['desc', 'asc'], {
    default: 'desc',
    description:
      'desc: by time of the call, then id, newest first. asc: in the order in which the texts became ready. New ' +
      'texts then follow the pages that you have read, whatever the times of their calls.',
  }),
}

/** Defines the query parameter `order` of lists with a search. `best` sorts by relevance. */
export const searchOrderParameter = {
  order: Type.Optional(
    field.oneOf(
      ['desc', 'asc', 'best'],
      'desc and asc: by time of the call, then id. best: the best matches of q first; without q, the same as desc. ' +
        'Default: best.',
    ),
  ),
}

/** Creates the response of a list operation. @param example one item for the example page */
export const createPageResponse = (items: TSchema, description: string, example: unknown) => ({
  description,
  json: createPageSchema(items, description),
  example: { items: [example], total: 1, page: 1, pageSize: DEFAULT_PAGE_SIZE },
})

/** Creates the schema of a page: items, total, page and pageSize. */
export const createPageSchema = (items: TSchema, description: string) =>
  field.object(description, {
    items: field.list(items, 'The items of this page.'),
    total: field.integer('The number of all matching items.'),
    page: field.integer('The number of this page.'),
    pageSize: field.integer('The limit of items per page.'),
  })
