/** SQL: whether a deal d counts. Steps read deals only from the funnels of departments, and reports exclude all others. */
export const IN_FUNNEL_OF_DEPARTMENT = 'd.funnel_id IN (SELECT unnest(funnels) FROM departments)'
