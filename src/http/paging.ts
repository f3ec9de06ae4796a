import Type, { type TSchema } from 'typebox'

/** Items of a page, where the caller does not say. */
export const DEFAULT_PAGE_SIZE = 25

/** Parameters of every page. */
export const pageParameters = {
  page: Type.Integer({
    minimum: 1,
    maximum: 10_000_000,
    default: 1,
    description: 'The page, from 1. One past the end is empty.',
  }),
  pageSize: Type.Integer({ minimum: 1, maximum: 100, default: DEFAULT_PAGE_SIZE, description: 'Items a page.' }),
}

/** The order of lists of calls. */
export const orderParameter = {
  order: Type.Enum(['desc', 'asc'], {
    default: 'desc',
    description: 'By time of the call, then id. With asc, new calls come after the pages already read.',
  }),
}

/** A page of items. */
export const pageOf = (items: TSchema, description: string) =>
  Type.Object(
    {
      items: Type.Array(items, { description: 'The items of this page.' }),
      total: Type.Integer({ description: 'All items that match.' }),
      page: Type.Integer({ description: 'This page.' }),
      pageSize: Type.Integer({ description: 'Items a page at most.' }),
    },
    { additionalProperties: false, description },
  )
