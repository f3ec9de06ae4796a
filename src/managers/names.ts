/**
 * By what two names are the same manager's, as SQL of an expression that holds one: whatever their case. The names are
 * clean already (lib/names.ts). Indexes hold the same expression.
 */
export const managerKey = (name: string): string => `lower(btrim(${name}))`
