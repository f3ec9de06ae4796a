/** Whether a deal d counts, as SQL: deals are read only from the funnels of departments, and reports leave out all others. */
export const IN_FUNNEL_OF_DEPARTMENT = 'd.funnel_id IN (SELECT unnest(funnels) FROM departments)'
