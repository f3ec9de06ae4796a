import Type from 'typebox'

export const closed = { additionalProperties: false }
export const owner = { tag: 'CRM', access: 'owner' } as const
export const text = (description: string) => Type.String({ description })
export const count = (description: string) => Type.Integer({ description })
export const flag = (description: string) => Type.Boolean({ description })
export const time = (description: string) => Type.String({ format: 'date-time', description })
export const uuid = (description: string) => Type.String({ format: 'uuid', description })
