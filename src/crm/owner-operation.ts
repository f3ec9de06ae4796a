export const CRM_OWNER_OPERATION_DEFAULTS = { tag: 'CRM', access: 'owner' } as const
