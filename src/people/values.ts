export const ROLES = ['owner', 'head', 'manager'] as const
export type Role = (typeof ROLES)[number]

/** What a person may do beyond reading; an owner has all of them. */
export const RIGHTS = ['audio', 'export', 'manageRecordings', 'analytics', 'editRules'] as const
export type Right = (typeof RIGHTS)[number]

/** The languages of the panel. */
export const LANGUAGES = ['en', 'ru'] as const
export type Language = (typeof LANGUAGES)[number]
