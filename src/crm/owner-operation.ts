export const OWNER_OPERATION = { tag: 'CRM', access: 'owner' } as const
