/** SQL: whether a deal d counts. Steps read deals only from the funnels of departments, and reports exclude all others. */
export const IN_DEPARTMENT_FUNNEL_SQL = 'd.funnel_id IN (SELECT unnest(funnels) FROM departments)'
