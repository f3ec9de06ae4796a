/** True if deal d is in a funnel of any department. Steps read deals only from these funnels, and reports exclude all others. */
export const IS_IN_DEPARTMENT_FUNNEL_SQL = 'd.funnel_id IN (SELECT unnest(funnels) FROM departments)'
