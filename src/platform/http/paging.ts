import Type, { type TSchema } from 'typebox'
import { object, integer, list } from './schemas.ts'

/** Items of a page, where the caller does not say. */
export const DEFAULT_PAGE_SIZE = 25

export const pageParameters = {
  page: Type.Integer({
    minimum: 1,
    maximum: Number.MAX_SAFE_INTEGER,
    default: 1,
    description: 'The page, from 1. One past the end is empty.',
  }),
  pageSize: Type.Integer({ minimum: 1, maximum: 100, default: DEFAULT_PAGE_SIZE, description: 'Items a page.' }),
}

/** The order of lists of texts. */
export const readyOrderParameter = {
  order: Type.Enum(['desc', 'asc'], {
    default: 'desc',
    description:
      'desc: by time of the call, then id, the newest first. asc: in the order in which the texts became ready, so that ' +
      'new texts come after the pages already read, whenever their calls took place.',
  }),
}

/** The order of a list that can be searched. */
export const searchOrderParameter = {
  order: Type.Optional(
    Type.Enum(['desc', 'asc', 'best'], {
      description:
        'desc and asc: by time of the call, then id. best: what q found best comes first; without q as desc. ' +
        'By default best.',
    }),
  ),
}

export const pageOf = (items: TSchema, description: string) =>
  object(description, {
    items: list(items, 'The items of this page.'),
    total: integer('All items that match.'),
    page: integer('This page.'),
    pageSize: integer('Items a page at most.'),
  })
