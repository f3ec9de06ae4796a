import Type, { type TSchema } from 'typebox'
import * as field from './field.ts'

/** The default number of items per page. */
export const DEFAULT_PAGE_SIZE = 25

export const pageParameters = {
  page: Type.Integer({
    minimum: 1,
    maximum: Number.MAX_SAFE_INTEGER,
    default: 1,
    description: 'The page, from 1. A page past the end is empty.',
  }),
  pageSize: Type.Integer({ minimum: 1, maximum: 100, default: DEFAULT_PAGE_SIZE, description: 'Items per page.' }),
}

/** The order of lists of texts. */
export const readyOrderParameter = {
  order: Type.Enum(['desc', 'asc'], {
    default: 'desc',
    description:
      'desc: by time of the call, then id, newest first. asc: in the order in which the texts became ready. So new texts ' +
      'follow the pages already read, whenever their calls took place.',
  }),
}

/** The order of a list that can be searched. */
export const searchOrderParameter = {
  order: Type.Optional(
    field.oneOf(
      ['desc', 'asc', 'best'],
      'desc and asc: by time of the call, then id. best: what q found best comes first; without q as desc. ' +
        'By default best.',
    ),
  ),
}

/** The response of a list: a page of items, with an example of one. */
export const pageResponse = (items: TSchema, description: string, example: unknown) => ({
  description,
  json: pageSchema(items, description),
  example: { items: [example], total: 1, page: 1, pageSize: DEFAULT_PAGE_SIZE },
})

/** The schema of a page of a list: items, total, page and pageSize. */
export const pageSchema = (items: TSchema, description: string) =>
  field.object(description, {
    items: field.list(items, 'The items of this page.'),
    total: field.integer('The number of all matching items.'),
    page: field.integer('The number of this page.'),
    pageSize: field.integer('The limit of items per page.'),
  })
