export const owner = { tag: 'CRM', access: 'owner' } as const
